"""Turns an integer from a caller into a C integer."""

cdef extern from "Python.h":
    Py_ssize_t PyNumber_AsSsize_t(object number, void* overflow) except? -1


cdef inline Py_ssize_t clipped(object number) except? -1:
    """The value of an int, or of an object with `__index__`, as a C integer. A value out of range becomes the nearest one in
    range. Raises TypeError for other objects."""
    return PyNumber_AsSsize_t(number, NULL)
