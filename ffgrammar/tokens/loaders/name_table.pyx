"""The vocabulary of a tokenizer.json as a table: names of tokens by id, and ids by name. Llama 3's vocabulary becomes such a
table in 4 ms. Python's json makes a dict of this text in 37 ms.

    table["the"], table.name_of(42), "the" in table
    table.letters_to_bytes()        # the bytes of all tokens, if their names are in GPT-2's letters

vocabulary_json.pyx makes such tables. No Python object is made for a name before it is asked for.
"""

cimport cython
from libc.stdint cimport uint8_t, uint16_t, uint32_t
from libc.stdlib cimport free
from libc.string cimport memchr, memcmp, memcpy

from ffgrammar.core.byte_runs cimport printable_run
from ffgrammar.core.hexadecimal cimport hex_digit
from ffgrammar.core.prefetch cimport prefetch
from ffgrammar.tokens.loaders.name_index cimport (
    MAX_TOKENS, Name, first_slot, name_read, names_enter, names_find, names_open,
)
from ffgrammar.tokens.vocabulary.packed_tokens cimport SLACK, PackedTokens
from ffgrammar.tokens.vocabulary.trie cimport TokenTrie

from collections.abc import Mapping

cdef enum:
    LETTERS = 0x144    # GPT-2's letters are characters below this one
    NO_LETTER = 0x100  # in a table of letters: no letter
    BATCH = 32         # names that are entered together, so that waits for memory overlap

cdef uint16_t[LETTERS] _letters


cdef void _fill_letters() noexcept:
    """Notes which byte each of GPT-2's letters stands for: a printable Latin-1 character for its own code, the characters from
    U+0100 on for the other bytes, in order."""
    cdef uint32_t value, other = 0x100
    for value in range(LETTERS):
        _letters[value] = NO_LETTER
    for value in range(0x100):
        if 0x21 <= value < 0x7F or 0xA1 <= value < 0xAD or 0xAE <= value:
            _letters[value] = <uint16_t>value
        else:
            _letters[other] = <uint16_t>value
            other += 1


_fill_letters()


cdef uint32_t _bytes_of_letters(const uint8_t* name, uint32_t size, uint8_t* out) noexcept nogil:
    """Writes the bytes that a name in GPT-2's letters stands for. Returns how many they are, or 0 if the name has other
    characters. SLACK bytes can be read from each byte of the name on, and written from each byte of `out` on."""
    cdef uint32_t at = 0, made = 0, code, run
    while at < size:
        # (printable ASCII stands for itself)
        run = min(printable_run(name + at), size - at)
        memcpy(out + made, name + at, SLACK)
        at += run
        made += run
        # (letters of two bytes come in runs, too)
        while at < size and name[at] >= 0x80:
            # (names are UTF-8: no letter has more than two bytes)
            code = (name[at] & 0x1F) << 6 | (name[at + 1] & 0x3F)
            if name[at] >= 0xE0 or code >= LETTERS or _letters[code] == NO_LETTER:
                return 0
            out[made] = <uint8_t>_letters[code]
            made += 1
            at += 2
        if at < size and (name[at] < 0x21 or name[at] == 0x7F):
            return 0
    return made


@cython.final
cdef class NameTable:
    """Ids by name. It is a mapping, in the order of the file."""

    def __dealloc__(self):
        free(self.listed)
        free(self.index.slots)

    cdef bint fill(self, PackedTokens names, uint32_t* listed, uint32_t count) except -1:
        cdef bint distinct
        self.names = names
        self.listed = listed
        self.count = count
        if names.count > MAX_TOKENS:
            return False
        if names_open(&self.index, names.blob, names.offsets, count) < 0:
            raise MemoryError
        with nogil:
            distinct = self.enter_all()
        return distinct

    cdef bint enter_all(self) noexcept nogil:
        cdef Name[BATCH] batch
        cdef uint32_t done = 0
        cdef uint32_t i, token, size
        while done < self.count:
            size = min(self.count - done, <uint32_t>BATCH)
            for i in range(size):
                token = self.listed[done + i]
                name_read(
                    &batch[i], self.names.blob + self.names.offsets[token],
                    self.names.offsets[token + 1] - self.names.offsets[token])
                prefetch(first_slot(&self.index, &batch[i]))
            for i in range(size):
                if not names_enter(&self.index, self.listed[done + i], &batch[i]):
                    return False
            done += size
        return True

    cdef long id_of(self, name) except? -2:
        cdef bytes text
        cdef Name wanted
        # (a table that was made by __new__ alone has no names)
        if self.names is None or not isinstance(name, str):
            return -1
        try:
            text = (<str>name).encode()
        except UnicodeEncodeError:
            return -1
        size = len(text)
        text += bytes(SLACK)
        name_read(&wanted, text, size)
        return names_find(&self.index, &wanted)

    def __getitem__(self, name):
        cdef long found = self.id_of(name)
        if found < 0:
            raise KeyError(name)
        return found

    def get(self, name, default=None):
        """The id of a name, or `default`."""
        cdef long found = self.id_of(name)
        return default if found < 0 else found

    def __contains__(self, name):
        return self.id_of(name) >= 0

    def __len__(self):
        return self.count

    def __iter__(self):
        cdef uint32_t k
        for k in range(self.count):
            yield self.name_of(self.listed[k])

    def keys(self):
        """The names."""
        return Mapping.keys(self)

    def items(self):
        """(name, id) of all names."""
        return [(self.name_of(self.listed[k]), self.listed[k]) for k in range(self.count)]

    def values(self):
        """The ids, which are distinct."""
        return [self.listed[k] for k in range(self.count)]

    def name_of(self, token):
        """The name of an id, None if it has none."""
        if not isinstance(token, int) or not 0 <= token < self.names.count:
            return None
        name = self.names[token]
        return None if name is None else name.decode()

    def letters_to_bytes(self):
        """The bytes that names in GPT-2's letters stand for. A name with other characters stands for its own UTF-8."""
        cdef PackedTokens names = self.names
        cdef PackedTokens found = PackedTokens.__new__(PackedTokens)
        cdef uint32_t token, size, made, at = 0
        cdef const uint8_t* name
        found.allocate(names.count, names.offsets[names.count])
        others = set()
        for token in range(names.count):
            name = names.blob + names.offsets[token]
            size = names.offsets[token + 1] - names.offsets[token]
            made = _bytes_of_letters(name, size, found.blob + at)
            if made == 0 and size:
                others.add(token)
                memcpy(found.blob + at, name, size)
                made = size
            at += made
            found.offsets[token + 1] = at
        self.others = others
        return found

    def not_in_letters(self):
        """The ids of the names with characters that are not among GPT-2's letters."""
        if self.others is None:
            self.letters_to_bytes()
        return self.others

    def without_bytes(self, TokenTrie trie not None):
        """(name, id) of the names whose tokens have no bytes."""
        cdef uint32_t token
        found = []
        for token in range(min(self.names.count, trie.vocab_size)):
            if trie.offsets[token] == trie.offsets[token + 1] and self.names.offsets[token] < self.names.offsets[token + 1]:
                found.append((self.name_of(token), token))
        return found

    def with_space(self):
        """The ids of the names with a space in them."""
        cdef PackedTokens names = self.names
        cdef uint32_t token
        found = set()
        for token in range(names.count):
            if memchr(names.blob + names.offsets[token], c" ", names.offsets[token + 1] - names.offsets[token]) != NULL:
                found.add(token)
        return found

    def of_one_byte(self, PackedTokens tokens not None):
        """(name, id) of the names of six characters whose token is one byte."""
        cdef uint32_t token
        found = []
        for token in range(min(self.names.count, tokens.count)):
            if tokens.offsets[token + 1] - tokens.offsets[token] == 1:
                name = self.name_of(token)
                if name is not None and len(name) == 6:
                    found.append((name, token))
        return found

    def characters_to_bytes(self, str old not None, str new not None, bint byte_fallback):
        """The UTF-8 that names stand for, with `new` in the place of each `old`.

        Args:
            old: the text that is replaced; "" for nothing.
            new: what replaces it; it has at most as many bytes as `old`.
            byte_fallback: whether names like <0x0A> stand for a byte.

        Raises:
            ValueError: `new` has more bytes than `old`.
        """
        cdef bytes before = old.encode(), after = new.encode()
        cdef uint32_t old_size = len(before), new_size = len(after)
        if new_size > old_size:
            raise ValueError("new is longer than old")
        cdef PackedTokens names = self.names
        cdef PackedTokens found = PackedTokens.__new__(PackedTokens)
        cdef uint32_t token, size, i, at = 0
        cdef const uint8_t* name
        cdef const uint8_t* wanted = before
        cdef const uint8_t* instead = after
        found.allocate(names.count, names.offsets[names.count])
        for token in range(names.count):
            name = names.blob + names.offsets[token]
            size = names.offsets[token + 1] - names.offsets[token]
            if byte_fallback and size == 6 and memcmp(name, <const char*>b"<0x", 3) == 0 and name[5] == c">" and \
                    hex_digit(name[3]) >= 0 and hex_digit(name[4]) >= 0:
                found.blob[at] = <uint8_t>(hex_digit(name[3]) << 4 | hex_digit(name[4]))
                at += 1
                size = 0
            i = 0
            while i < size:
                if old_size and name[i] == wanted[0] and size - i >= old_size and memcmp(name + i, wanted, old_size) == 0:
                    memcpy(found.blob + at, instead, new_size)
                    at += new_size
                    i += old_size
                else:
                    found.blob[at] = name[i]
                    at += 1
                    i += 1
            found.offsets[token + 1] = at
        return found


Mapping.register(NameTable)
