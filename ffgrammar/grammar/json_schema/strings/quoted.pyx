"""Strings that are spelled as they are, which most keys and listed strings of schemas are."""

from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize
from libc.string cimport memcpy

cdef extern from "Python.h":
    bint PyUnicode_IS_COMPACT_ASCII(object text)
    Py_ssize_t PyUnicode_GET_LENGTH(object text)
    const unsigned char* PyUnicode_1BYTE_DATA(object text)


def quoted_ascii(text):
    """An ASCII string between quotes, as bytes; None if it has other characters or some that JSON escapes, or is of a subclass."""
    if type(text) is not str or not PyUnicode_IS_COMPACT_ASCII(text):
        return None
    cdef Py_ssize_t count = PyUnicode_GET_LENGTH(text)
    cdef const unsigned char* data = PyUnicode_1BYTE_DATA(text)
    cdef Py_ssize_t i
    for i in range(count):
        if data[i] < 0x20 or data[i] == ord('"') or data[i] == ord("\\") or data[i] == 0x7F:
            return None
    cdef bytes made = PyBytes_FromStringAndSize(NULL, count + 2)
    cdef char* spelled = PyBytes_AS_STRING(made)
    spelled[0] = spelled[count + 1] = ord('"')
    memcpy(spelled + 1, data, count)
    return made
