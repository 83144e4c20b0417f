"""What has been written up to a cursor, as Python objects."""

from ffgrammar.engine.engine cimport Engine
from ffgrammar.engine.position.cursor cimport Cursor

# The text.
cdef bytes written_bytes(Engine engine, Cursor* cursor)

# For each step its token id, or None if it was bytes without a token.
cdef list written_tokens(Engine engine, Cursor* cursor)

# The text, and the special tokens in it as pairs (offset, id).
cdef tuple written_text(Engine engine, Cursor* cursor)
