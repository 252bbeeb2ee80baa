"""Adapters that misbehave, each in its own way. $FAKE names the misbehaviour.

While setup says hello, the working directory is the adapter's own folder: some behave well there,
and badly only once they are measured.
"""

from __future__ import annotations

import os

from content import (
    Caching,
    Careless,
    Hoarding,
    Lenient,
    Revalidating,
    Roomy,
    ShortBody,
    Skimming,
    Tiring,
)
from honest import Honest
from manners import Clinging, Forgetful, Headstrong, Terse, Trusting, Uncoded, Unproxied
from pace import (
    Aging,
    Crashing,
    Deaf,
    Fainting,
    FallsSilent,
    Hanging,
    Idle,
    Impatient,
    Leaking,
    ShortLived,
    Silent,
    Slow,
    SlowStart,
    TwoFaced,
    Unhurried,
    Wavering,
)
from words import (
    Boastful,
    Chatty,
    Endless,
    Failing,
    Garbage,
    Hasty,
    Miscounting,
    Misspelling,
    Skipping,
)

FAKES: dict[str, type[Honest]] = {
    "honest": Honest,
    "slow": Slow,
    "slow-start": SlowStart,
    "wavering": Wavering,
    "silent": Silent,
    "falls-silent": FallsSilent,
    "hanging": Hanging,
    "crashing": Crashing,
    "fainting": Fainting,
    "short-lived": ShortLived,
    "garbage": Garbage,
    "endless": Endless,
    "boastful": Boastful,
    "miscounting": Miscounting,
    "hasty": Hasty,
    "skipping": Skipping,
    "short-body": ShortBody,
    "careless": Careless,
    "tiring": Tiring,
    "caching": Caching,
    "revalidating": Revalidating,
    "terse": Terse,
    "chatty": Chatty,
    "failing": Failing,
    "leaking": Leaking,
    "deaf": Deaf,
    "idle": Idle,
    "unhurried": Unhurried,
    "two-faced": TwoFaced,
    "misspelling": Misspelling,
    "trusting": Trusting,
    "unproxied": Unproxied,
    "uncoded": Uncoded,
    "forgetful": Forgetful,
    "clinging": Clinging,
    "headstrong": Headstrong,
    "hoarding": Hoarding,
    "roomy": Roomy,
    "skimming": Skimming,
    "impatient": Impatient,
    "lenient": Lenient,
    "aging": Aging,
}

if __name__ == "__main__":
    FAKES[os.environ["FAKE"]]().serve()
