"""The JSON types as bits. `true` and `false` have a bit each. Integers have one bit, and all other numbers another."""

from __future__ import annotations

__all__ = ["ALL", "ARR", "BOOLS", "FALSE", "FRAC", "INT", "NULL", "NUM", "OBJ", "STR", "TRUE", "TYPES"]

NULL, FALSE, TRUE, INT, FRAC, STR, ARR, OBJ = (1 << bit for bit in range(8))
BOOLS = FALSE | TRUE
# A number is an integer or has a fraction; `type: number` is both bits.
NUM = INT | FRAC
ALL = 255

# the names that `type` knows
TYPES = {
    "null": NULL,
    "boolean": BOOLS,
    "integer": INT,
    "number": NUM,
    "string": STR,
    "array": ARR,
    "object": OBJ,
}
