"""What the canonical searches of one grammar have found, shared by all its matchers."""

from ffgrammar.engine.canonical.lookahead cimport Lookahead
from ffgrammar.engine.canonical.masks cimport CanonicalMasks
from ffgrammar.engine.engine cimport Engine, EngineAttachment
from ffgrammar.tokens.canonical.rules cimport CanonicalRules

cdef class CanonicalCaches(EngineAttachment):
    cdef Lookahead lookahead
    cdef CanonicalMasks made_masks  # None until a canonical mask is asked for, to save memory

    # The canonical masks, made on the first call. Raises MemoryError.
    cdef CanonicalMasks masks(self, Engine engine)


# The caches of an engine, made on the first call. `rules` are those of the engine's tokenizer. Raises MemoryError.
cdef CanonicalCaches caches_of(Engine engine, CanonicalRules rules)
