"""Instances of parametric nonterminals: made when a text meets them, forgotten with the other caches."""

from libc.stdint cimport uint32_t

from ffgrammar.engine.parser.tables cimport Rules

# The instance that lies in `rules.instance`, as a nonterminal number.
cdef int find_instance(Rules* rules, uint32_t* nonterminal) noexcept nogil

# Make the productions of an instance from the templates whose conditions its parameter meets.
cdef int expand(Rules* rules, uint32_t nonterminal) noexcept nogil

# Forget the instances that texts have met.
cdef void forget_instances(Rules* rules) noexcept nogil

cdef size_t instances_bytes(const Rules* rules) noexcept nogil
