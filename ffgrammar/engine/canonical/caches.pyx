"""The caches are made when a matcher first needs the tokenizer's rules, and are kept in a slot that the engine declares.

Two threads may make the caches of one engine at the same time. Then the engine keeps those of one thread.
"""

from ffgrammar.engine.canonical.lookahead cimport Lookahead
from ffgrammar.engine.canonical.masks cimport CanonicalMasks
from ffgrammar.engine.engine cimport Engine
from ffgrammar.tokens.canonical.rules cimport CanonicalRules


cdef class CanonicalCaches(EngineAttachment):
    """The look-ahead of a grammar, and its canonical masks.

    Args:
        engine: the grammar's engine, whose limits bound the look-ahead and the masks.
        rules: the rules of its tokenizer.
    """

    def __cinit__(self, Engine engine not None, CanonicalRules rules not None):
        self.lookahead = Lookahead(rules, min(engine.limits.cache_bytes, 4 << 30))

    cdef CanonicalMasks masks(self, Engine engine):
        if self.made_masks is None:
            self.made_masks = CanonicalMasks(self.lookahead, min(engine.limits.mask_bytes, 8 << 30))
        return self.made_masks


cdef CanonicalCaches caches_of(Engine engine, CanonicalRules rules):
    if engine.canonical is None:
        engine.canonical = CanonicalCaches(engine, rules)
    return engine.canonical
