"""All rules. A file of this folder that defines RULE is one."""

from __future__ import annotations

import pkgutil
from functools import cache
from importlib import import_module

from fetchoff.diagnosis import rules
from fetchoff.diagnosis.rule import Rule


@cache
def all_rules() -> tuple[Rule, ...]:
    """The rules by the numbers of their faults."""
    names = [module.name for module in pkgutil.iter_modules(rules.__path__)]
    modules = [import_module(f"{rules.__name__}.{name}") for name in names]
    found = [module.RULE for module in modules if hasattr(module, "RULE")]
    return tuple(sorted(found, key=lambda rule: (rule.fault.numbers, rule.id)))


def rule(name: str) -> Rule:
    """The rule of this id; KeyError if there is none."""
    return {each.id: each for each in all_rules()}[name]
