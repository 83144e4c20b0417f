from libc.stdint cimport uint32_t

from ffgrammar.engine.engine cimport Engine
from ffgrammar.engine.canonical.lookahead cimport Lookahead
from ffgrammar.engine.recognizer.recognizer cimport Config
from ffgrammar.tokens.canonical.rules cimport CanonicalState

# All but the last run with the engine's lock held. `config` is where the text stands; forced_bytes moves it to the end of the
# forced bytes.
cdef bytes forced_bytes(Engine engine, Config* config)

# The tokens that must come, one after another, from where the text is under the grammar and by the rules; or only as far as bytes
# of a prompt are pending. With the lock held, the lookahead entered.
cdef list forced_run(Engine engine, Lookahead lookahead, const Config* start, const CanonicalState* before, bint prefix_only)

# Where the tokenizer's rules are not known: where, in the forced bytes, a token can begin that reaches beyond their end;
# ascending.
cdef list boundary_candidates(Engine engine, const Config* end, bytes forced)

# The tokens that all tokenizations share. Runs without the lock: an encoder may be anyone's code.
cdef list common_tokens(object tokenizer, bytes text, bytes forced, list places)

# How many tokens may come next by both: two, if there are more. One of them goes to `token`. With the lock held, the lookahead
# entered.
cdef int count_tokens(Engine engine, Lookahead lookahead, const Config* config, const CanonicalState* at, uint32_t* token) except -1
