"""Install Debian packages that clients lack, as root: `python tools/debian_packages.py CLIENT…`.

`fetchoff setup` does so before it builds. A job of a CI system whose user is not root runs this by
sudo, and then builds as that user. It also installs what a build from a source tree needs.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import replace

from fetchoff.app.choose import chosen
from fetchoff.build.prerequisites import install_packages
from fetchoff.model.client import Manifest
from fetchoff.model.errors import FetchoffError


def main(clients: Sequence[str]) -> int:
    try:
        manifests = [manifest for client in clients for manifest in chosen([client])]
        refused = install_packages(both_ways(manifests), print)
    except FetchoffError as error:
        print(f"hint: {error.message}", file=sys.stderr)
        return 0  # the gate says the same, and ends with its status
    for package, reason in refused.items():
        print(f"hint: apt-get could not install {package}: {reason}", file=sys.stderr)
    return 0


def both_ways(manifests: Sequence[Manifest]) -> list[Manifest]:
    """The clients with their own recipes, and with those for source trees where they have one."""
    from_trees = [
        replace(manifest, recipe=manifest.from_trees.recipe)
        for manifest in manifests
        if manifest.from_trees is not None
    ]
    return [*manifests, *from_trees]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
