"""Where a lexer state differs from its base (engine/masks/base_state.pxd).

The state of a key that must not be one of some names has the state of a free string as its base. The two differ only where a token
begins as one of these names does. So the classes of the base are patched at few tokens.
"""

from libc.stdint cimport uint32_t

from ffgrammar.core.vec cimport Vec
from ffgrammar.engine.engine cimport Engine

cdef struct Patch:
    Vec tokens    # (token, the state that it leads to, or DEAD where it does not stay inside the lexeme)
    Vec exits     # (node of the trie, the state above it), those of the state itself
    Vec dropped   # nodes at which the base has an exit that the state does not have, or has from another state

cdef void patch_init(Patch* p) noexcept nogil
cdef void patch_free(Patch* p) noexcept nogil

# Find where the tokens of two lexer states differ. Returns 1; 0 if they differ too much for a patch to pay; or a status.
cdef int patch_find(Engine engine, uint32_t state, uint32_t base, Patch* p) noexcept nogil
