"""A quick bound on the size of plain data: dicts, lists, tuples and scalars, of exactly these types."""

cdef enum:
    # How deep data may be nested. (A depth that `marshal` can write twice, and C can recurse.)
    MAX_DEPTH = 1000


cpdef Py_ssize_t room_after(object value, Py_ssize_t room, int depth=0) except? -1:
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
