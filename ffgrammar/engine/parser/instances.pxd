"""Instances of parametric nonterminals (see tables.pxd). They are made when a text needs them, and forgotten with the other
caches.

An object with n keys that may come in any order needs a nonterminal for each set of keys seen so far. These are 2^n
nonterminals, of which a text meets a handful. So productions are made only for the parameters that come up. To the parser an
instance is a nonterminal like any other.
"""

from libc.stdint cimport uint32_t

from ffgrammar.engine.parser.tables cimport Rules

# Find or make the instance whose words (I_HEAD and so on) are in `rules.instance`. Writes its nonterminal number; returns OK or
# NO_MEMORY.
cdef int find_instance(Rules* rules, uint32_t* nonterminal) noexcept nogil

# What a counter is after a template: its value in the words of an instance, and one more if the template adds to it.
cdef uint32_t counted(const Rules* rules, const uint32_t* instance, const uint32_t* template, uint32_t number) noexcept nogil

# Add the bits of an instance, and those that a template sets, to the words of another one.
cdef void add_bits(const Rules* rules, uint32_t number, const uint32_t* template, uint32_t* words) noexcept nogil

# Make the productions of an instance, given by its nonterminal number, from the templates whose conditions its parameter meets.
# Returns OK or NO_MEMORY.
cdef int expand(Rules* rules, uint32_t nonterminal) noexcept nogil

# Forget the instances that texts have added. Those that were made with the grammar stay, but their productions are dropped too,
# and made again when they are needed.
cdef void forget_instances(Rules* rules) noexcept nogil

# Bytes of the tables that grow with instances.
cdef size_t instances_bytes(const Rules* rules) noexcept nogil
