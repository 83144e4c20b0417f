"""What must come next, whatever the sentence: bytes, and tokens."""

from libc.stdint cimport uint32_t

from ffgrammar.engine.engine cimport Engine
from ffgrammar.engine.canonical.lookahead cimport Lookahead
from ffgrammar.engine.recognizer.recognizer cimport Config
from ffgrammar.tokens.canonical.rules cimport CanonicalState

# All functions but `common_tokens` run with the engine's lock held, and raise LimitError unless they say otherwise. A look-ahead
# that is passed to them must have been entered (`Lookahead.enter`).

# The bytes with which every sentence continues after `config`. `config` moves to the end of these bytes.
cdef bytes forced_bytes(Engine engine, Config* config)

# The ids of the tokens that must come, one after another. `start` is the configuration after the text so far, and `before` is
# the rules' state there. With `prefix_only` the list ends with the token that spells the last pending byte of a prompt.
cdef list forced_run(Engine engine, Lookahead lookahead, const Config* start, const CanonicalState* before, bint prefix_only)

# How many tokens both the grammar and the rules let come next; 2 if there are 2 or more. Writes one of them to `token`. Returns a
# status if it fails, and raises nothing.
cdef int count_tokens(
    Engine engine, Lookahead lookahead, const Config* config, const CanonicalState* at, uint32_t* token) noexcept nogil

# For a tokenizer whose rules are not known. A token may begin inside the forced bytes and reach beyond their end: returns the
# offsets at which such a token may begin. If the bytes end in white space or inside a character, and something may follow, the
# offset where this white space or character begins is in the list, too. `end` is the configuration after the bytes.
cdef list boundary_candidates(Engine engine, const Config* end, bytes forced)

# `forced` are the forced bytes after `text`. Returns their first tokens, as far as these are the same whatever follows.
# `candidates` is what boundary_candidates returned. This runs without the lock, because an encoder may be anyone's code.
cdef list common_tokens(object tokenizer, bytes text, bytes forced, list candidates)
