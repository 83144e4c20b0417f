"""The C types of subschemas.py, which the reader uses for every subschema of a schema."""

cimport cython

from ffgrammar.grammar.json_schema.documents.resources cimport Resource

cdef class Subschema:
    cdef public object schema
    cdef public Resource resource
    cdef public Subschema parent
    cdef public tuple tokens
    cdef public Py_ssize_t depth
    cdef public object scope
    cdef public dict numbers
    cdef public bint modern
    # returns the dict of the keywords that have a meaning in this subschema
    cpdef keywords(self)


# Returns a new subschema. The arguments are its attributes.
@cython.locals(made=Subschema)
cpdef Subschema subschema_at(
    schema, Resource resource, Subschema parent, tuple tokens, Py_ssize_t depth, scope, dict numbers)

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
    cdef dict _followed
    cdef dict _numbers
    # returns the conjunction of a schema inside a subschema; `tokens` are the parts of the JSON pointer between the two; raises
    # what `_number` raises
    cpdef tuple child(self, Subschema subschema, schema, tuple tokens)
    # takes a schema that a reference in `scope` leads to, its resource, and the parts of its JSON pointer; returns its
    # conjunction; raises what `_number` raises
    cdef tuple _entered(self, schema, Resource resource, tuple tokens, scope)
    # returns the conjunctions known in a resource and a scope, by the id() of their schema
    cdef dict _numbers_of(self, resource, scope)
    # returns the conjunction of a schema that is not in `numbers` yet; raises GrammarError, LimitError, UnsupportedError
    cdef tuple _number(self, schema, dict numbers, Resource resource, Subschema parent, tuple tokens, scope)
    # takes the value `ref` of the keyword `word`, which is `$ref`, `$dynamicRef` or `$recursiveRef`; returns the conjunction
    # that it leads to; raises GrammarError, LimitError, UnsupportedError, NameNeeded
    cpdef tuple follow(self, Subschema subschema, ref, word=*)
    # `follow` of a reference that was not followed yet
    cdef tuple _target(self, Subschema subschema, ref, word)
