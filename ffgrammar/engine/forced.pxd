from ffgrammar.engine.engine cimport Engine
from ffgrammar.engine.machine cimport Config

# Both run with the engine's lock held by the caller's thread and the GIL; `config` is where the text stands.
# forced_bytes moves it to the end of the forced bytes.
cdef bytes forced_bytes(Engine engine, Config* config)
cdef list forced_tokens(Engine engine, const Config* config, bytes text, bytes forced)
