"""Integers that callers pass in."""

cdef extern from "Python.h":
    Py_ssize_t PyNumber_AsSsize_t(object number, void* overflow) except? -1


cdef inline Py_ssize_t clipped(object number) except? -1:
    """An int, or what can be an index; one that is too large or small becomes the largest or smallest there is."""
    return PyNumber_AsSsize_t(number, NULL)
