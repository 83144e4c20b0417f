"""`python tests/bench`: the modules import each other as `bench.…` and `oracle.…`, as under pytest."""

import sys
from pathlib import Path

# Not the working directory: from a checkout that would be ffgrammar's sources instead of the installed package.
sys.path[0] = str(Path(__file__).resolve().parent.parent)

from bench.run import main  # noqa: E402

sys.exit(main())
