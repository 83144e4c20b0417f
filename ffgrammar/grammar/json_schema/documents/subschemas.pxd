"""What Cython compiles subschemas.py with: every subschema is a place."""

cdef class Subschema:
    cdef public object schema
    cdef public object resource
    cdef public Subschema parent
    cdef public tuple tokens
    cdef public Py_ssize_t depth
    cdef public object scope
    cdef public dict numbers
    cdef public bint modern
    cpdef keywords(self)

cdef class Subschemas:
    cdef readonly object limits
    cdef readonly object list
    cdef readonly tuple start
    cdef object _registry
    cdef object _dialects
    cdef object _scopes
    cdef object _main
    cdef dict _documents
    cdef object _inner
    cdef dict _numbers
    cdef tuple _entered(self, schema, resource, tuple tokens, scope)
    cdef dict _numbers_of(self, resource, scope)
    cdef tuple _number(self, schema, dict numbers, resource, Subschema parent, tuple tokens, scope)
    cpdef tuple follow(self, Subschema subschema, ref, word=*)
