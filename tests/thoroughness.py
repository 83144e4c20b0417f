"""How many examples a test takes."""

import os

__all__ = ["QUICK", "fewer"]

# as under a sanitizer, where tests take five times as long
QUICK = os.environ.get("FFGRAMMAR_HYPOTHESIS") == "quick"


def fewer(count: int) -> int:
    """`count`, or a quarter of it if tests are to be quick."""
    return count // 4 if QUICK else count
