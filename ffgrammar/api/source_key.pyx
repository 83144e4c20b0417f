"""The key under which a compiled grammar is kept: bytes that differ from those of every other source.

The bytes are those of `marshal`, which tells 1, 1.0 and True apart.
"""

import marshal

from ffgrammar.core.plain_data cimport room_after


def source_key(source, Py_ssize_t max_bytes):
    """The key of a source, as bytes; None if it has none.

    Two sources have the same key only if they are equal and their dicts are in the same order. 1, 1.0 and True do not count as
    equal.

    Args:
        source: dicts, lists, tuples and scalars, of exactly these types. A source with anything else in it (a subclass, a
            Decimal) has no key.
        max_bytes: a source that takes more has no key.
    """
    # Version 2 of the format, because later ones write back-references: these would tell equal sources apart.
    return marshal.dumps(source, 2) if room_after(source, max_bytes) else None
