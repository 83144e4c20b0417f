"""Looks for the separators of a grammar (separator.pxd), once for each grammar that is not delimited."""

from ffgrammar.engine.recognizer.recognizer cimport Recognizer
from ffgrammar.engine.recognizer.separator cimport Separator

# Look for a separator in each group that is not delimited. It is not found where the search takes too long. Returns OK; or
# NO_MEMORY or a status that ends the call.
cdef int separator_find(Separator* s, Recognizer* m) noexcept nogil
