"""What a source is known by when it is compiled again."""

import marshal


cdef enum:
    DEEPEST = 1000  # marshal goes twice as deep


cdef Py_ssize_t left_of(object value, Py_ssize_t room, int depth) except? -1:
    """What a value leaves of some room; 0 if it does not fit or is not plain. What is reached twice counts twice."""
    if room <= 0 or depth > DEEPEST:
        return 0
    room -= 16
    kind = type(value)
    if kind is str:
        return max(0, room - 4 * len(<str>value))
    if kind is bytes:
        return max(0, room - len(<bytes>value))
    if kind is dict:
        for key, inner in (<dict>value).items():
            room = left_of(inner, left_of(key, room, depth + 1), depth + 1)
    elif kind is list or kind is tuple:
        for inner in value:
            room = left_of(inner, room, depth + 1)
            if room == 0:
                break
    elif kind is not int and kind is not float and kind is not bool and value is not None:
        return 0
    return max(0, room)


def source_key(source, Py_ssize_t max_bytes):
    """Bytes that only equal sources have, whose dicts are in the same order; None if there are none, or too many.

    A source is made of dicts, lists, tuples and scalars; 1, 1.0 and True are not equal here. What has something else in it
    (a subclass, a Decimal) has no key.
    """
    # without references, which would tell equal sources apart
    return marshal.dumps(source, 2) if left_of(source, max_bytes, 0) else None
