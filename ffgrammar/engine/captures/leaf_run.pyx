"""A run keeps the configuration after each unit, 8 bytes a unit, so steps taken back cost nothing."""

from libc.stdint cimport uint32_t

from ffgrammar.core.vec cimport vec_extend, vec_free, vec_init
from ffgrammar.engine.engine cimport Engine
from ffgrammar.engine.recognizer.completability cimport add_special_tokens, next_bytes, step, token_step
from ffgrammar.engine.recognizer.recognizer cimport Config, recognizer_accepting

cdef enum:
    SPECIAL_UNIT = 256  # a unit is a byte, or the id of a special token and this


cdef class LeafRun:
    """A leaf that reads the units of a text one by one.

    Args:
        engine: the engine of the leaf.
        begin: how many units are before the leaf.
    """

    def __cinit__(self, Engine engine not None, Py_ssize_t begin):
        self.engine = engine
        self.begin = begin
        self.count = 0
        self.generation = engine.generation
        vec_init(&self.configs)

    def __dealloc__(self):
        vec_free(&self.configs)

    def take(self, list units not None) -> int:
        """Read the next unit. Returns 2 if the leaf may end after it, 1 if it can only go on, and 0 if it cannot have the unit.
        In the last case nothing was read.

        Raises:
            LimitError: a bound of the grammar was reached.
        """
        cdef Config config
        cdef int taken
        self.engine.acquire()
        try:
            self.find(units, &config)
            taken = self.engine.checked(self.move(&config, units[self.begin + self.count]))
            if not taken:
                return 0
            self.push(config)
            self.count += 1
            return 1 + self.engine.checked(recognizer_accepting(&self.engine.recognizer, &config, NULL))
        finally:
            self.engine.release()

    def goes_on(self, list units not None) -> bool:
        """Whether some sentence of the leaf is longer than what was read.

        Raises:
            LimitError: a bound of the grammar was reached.
        """
        cdef Config config
        cdef uint32_t[8] found
        self.engine.acquire()
        try:
            self.find(units, &config)
            if self.engine.checked(next_bytes(&self.engine.completability, &self.engine.recognizer, &config, found)):
                return True
            return self.engine.checked(
                add_special_tokens(&self.engine.completability, &self.engine.recognizer, &config, NULL)) != 0
        finally:
            self.engine.release()

    def cut(self, Py_ssize_t count) -> None:
        """Keep the first `count` units that were read."""
        self.count = count
        self.configs.len = min(self.configs.len, <size_t>(2 * count))

    cdef int find(self, list units, Config* config) except? -1:
        cdef Py_ssize_t i
        self.engine.checked(self.engine.trim(self.generation == self.engine.generation))
        if self.generation != self.engine.generation:
            self.configs.len = 0
            self.generation = self.engine.generation
        config[0] = self.engine.first
        if self.configs.len:
            config.row = self.configs.data[self.configs.len - 2]
            config.state = self.configs.data[self.configs.len - 1]
        if self.configs.len == <size_t>(2 * self.count):
            return 0
        for i in range(self.configs.len >> 1, self.count):
            if not self.engine.checked(self.move(config, units[self.begin + i])):
                raise AssertionError("a leaf refuses a text that it has read")
            self.push(config[0])
        self.engine.note_needed()
        return 0

    cdef int move(self, Config* config, uint32_t unit) noexcept:
        if unit >= <uint32_t>SPECIAL_UNIT:
            return token_step(&self.engine.completability, &self.engine.recognizer, config, unit - <uint32_t>SPECIAL_UNIT)
        return step(&self.engine.completability, &self.engine.recognizer, config, unit, NULL)

    cdef int push(self, Config config) except -1:
        cdef uint32_t[2] words
        words[0] = config.row
        words[1] = config.state
        if vec_extend(&self.configs, words, 2) < 0:
            raise MemoryError
        return 0
