"""`python tests/bench NAME …`: the modules import each other as `bench.…` and `oracle.…`, as under pytest."""

import importlib
import sys
from pathlib import Path

# Not the working directory: from a checkout that would be ffgrammar's sources instead of the installed package.
sys.path[0] = str(Path(__file__).resolve().parent.parent)

NAMES = ("batch", "canonical", "coverings", "encoder", "forced", "masks", "large", "soak")

if len(sys.argv) < 2 or sys.argv[1] not in NAMES:
    sys.exit(f"usage: python tests/bench {'|'.join(NAMES)} …")
name = sys.argv.pop(1)
sys.exit(importlib.import_module(f"bench.{name}").main())
