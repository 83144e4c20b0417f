from ffgrammar.engine.engine cimport Engine
from ffgrammar.engine.lookahead cimport Lookahead
from ffgrammar.engine.machine cimport Config
from ffgrammar.tokens.canon cimport Canon

# The first two run with the engine's lock held. `config` is where the text stands; forced_bytes moves it to the end of the
# forced bytes.
cdef bytes forced_bytes(Engine engine, Config* config)

# The tokens that must come, one after another, from where the text is under the grammar and by the rules; the lookahead was
# entered. With the lock held.
cdef list sole_tokens(Engine engine, Lookahead lookahead, const Config* start, const Canon* before)

# Where the tokenizer's rules are not known: where, in the forced bytes, a token can begin that reaches beyond their end; ascending.
cdef list open_places(Engine engine, const Config* end, bytes forced)

# The tokens that all tokenizations share. Runs without the lock: an encoder may be anyone's code.
cdef list common_tokens(object tokenizer, bytes text, bytes forced, list places)
