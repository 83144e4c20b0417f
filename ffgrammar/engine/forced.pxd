from ffgrammar.engine.engine cimport Engine
from ffgrammar.engine.machine cimport Config

# The first two run with the engine's lock held. `config` is where the text stands; forced_bytes moves it to the end of the
# forced bytes.
cdef bytes forced_bytes(Engine engine, Config* config)

# Where, in the forced bytes, a token can begin that reaches beyond their end; ascending.
cdef list open_places(Engine engine, const Config* end, bytes forced)

# The tokens that all tokenizations share. Runs without the lock: an encoder may be anyone's code.
cdef list common_tokens(object tokenizer, bytes text, bytes forced, list places)
