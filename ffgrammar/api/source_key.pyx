"""The key under which a compiled grammar is kept: bytes that differ from those of every other source.

The bytes are those of `marshal`, which tells 1, 1.0 and True apart.
"""

import marshal


cdef enum:
    MAX_DEPTH = 1000  # marshal can write values nested twice as deep


cdef Py_ssize_t room_after(object value, Py_ssize_t room, int depth) except? -1:
    """How many bytes are left of `room` after a value; 0 if the value does not fit or is not plain data. A part that is reached
    twice counts twice."""
    if room <= 0 or depth > MAX_DEPTH:
        return 0
    room -= 16
    kind = type(value)
    if kind is str:
        return max(0, room - 4 * len(<str>value))
    if kind is bytes:
        return max(0, room - len(<bytes>value))
    if kind is dict:
        for key, inner in (<dict>value).items():
            room = room_after(inner, room_after(key, room, depth + 1), depth + 1)
    elif kind is list or kind is tuple:
        for inner in value:
            room = room_after(inner, room, depth + 1)
            if room == 0:
                break
    elif kind is int:
        # (marshal writes 15 bits of an int to two bytes)
        room -= (<object>value).bit_length() >> 2
    elif kind is not float and kind is not bool and value is not None:
        return 0
    return max(0, room)


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
    return marshal.dumps(source, 2) if room_after(source, max_bytes, 0) else None
