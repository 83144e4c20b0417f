"""Integers that callers pass in."""

cdef extern from "Python.h":
    Py_ssize_t PyNumber_AsSsize_t(object number, void* overflow) except? -1


cdef inline Py_ssize_t clipped(object number) except? -1:
    """An int, or an object with `__index__`, as a C integer. One out of range becomes the nearest that is in range. Raises
    TypeError for other objects."""
    return PyNumber_AsSsize_t(number, NULL)
