"""Masks under a budget: per configuration, the tokens after which no more than a number of tokens is needed."""

from libc.stddef cimport size_t
from libc.stdint cimport uint32_t

from ffgrammar.engine.budget.token_costs cimport TokenCosts
from ffgrammar.engine.engine cimport Engine
from ffgrammar.engine.recognizer.recognizer cimport Config

# Write to the `count` words of `row` the tokens that may come with `left` tokens left. End-of-text tokens are among them where the
# text is a sentence. Runs with the engine's lock held. Raises LimitError and MemoryError. Returns 0.
cdef int fill_within(
    TokenCosts costs, Engine engine, const Config* config, size_t left, uint32_t* row, size_t count,
) except -1
