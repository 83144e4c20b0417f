"""Instances of parametric nonterminals (see tables.pxd): made when a text meets them, forgotten with the other caches.

An object whose keys may come in any order has a state for each set of keys seen so far: 2^n of them, of which a text meets a
handful. So productions are made for the parameters that come up. To the parser an instance is a nonterminal like any other.
"""

from libc.stdint cimport uint32_t

from ffgrammar.engine.parser.tables cimport Rules

# Find or make the instance whose words (I_HEAD and so on) are in `rules.instance`. Writes its nonterminal number; returns OK or
# NO_MEMORY.
cdef int find_instance(Rules* rules, uint32_t* nonterminal) noexcept nogil

# Make the productions of an instance, from the templates whose conditions its parameter meets. Returns OK or NO_MEMORY.
cdef int expand(Rules* rules, uint32_t nonterminal) noexcept nogil

# Forget the instances that texts have met. Those that were made with the grammar stay, but lose their productions until these
# are needed again.
cdef void forget_instances(Rules* rules) noexcept nogil

# Bytes of the tables that grow with instances.
cdef size_t instances_bytes(const Rules* rules) noexcept nogil
