"""`python tests/long_checks NAME …`. Modules import each other as `long_checks.…` and `oracle.…`, as under pytest."""

import importlib
import sys
from pathlib import Path

# Not the working directory: from a checkout that would be ffgrammar's sources instead of the installed package.
sys.path[0] = str(Path(__file__).resolve().parent.parent)
importlib.import_module("cli_package")

NAMES = (
    "masks",
    "canonical",
    "canonicality",
    "forced",
    "coverings",
    "encoder",
    "tokenizers",
    "rules",
    "soak",
    "budgets",
    "grammars",
    "compositions",
    "hostile",
    "costs",
    "latencies",
    "interruptions",
    "gbnf",
    "python",
    "library",
    "play",
    "traffic",
    "faults",
    "kills",
    "memory",
)

if len(sys.argv) < 2 or sys.argv[1] not in NAMES:
    sys.exit(f"usage: python tests/long_checks {'|'.join(NAMES)} …")
name = sys.argv.pop(1)
sys.exit(importlib.import_module(f"long_checks.{name}").main())
