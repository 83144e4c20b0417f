"""Turns an integer from a caller into a C integer."""

cdef extern from "Python.h":
    Py_ssize_t PyNumber_AsSsize_t(object number, void* overflow) except? -1
    bint PyIndex_Check(object number)


cdef inline Py_ssize_t clipped(object number) except? -1:
    """The value of an int, or of an object with `__index__`, as a C integer. A value out of range becomes the nearest one in
    range. Raises TypeError for other objects."""
    return PyNumber_AsSsize_t(number, NULL)


cdef inline Py_ssize_t clipped_argument(str name, object number) except? -1:
    """The same for an argument of a public function. The TypeError names the argument."""
    if not PyIndex_Check(number):
        raise TypeError(f"{name} must be an int, not {type(number).__name__}")
    return PyNumber_AsSsize_t(number, NULL)
