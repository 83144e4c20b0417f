"""The two big parts of a tokenizer.json, `vocab` and `merges` of its `model`, without a Python object for each entry.

    config = read_big_parts(data)
    config["model"]["vocab"]        # a NameTable, in the place of a dict
    config["model"]["merges"]       # a JsonText: checked, and not read yet
    config["model"]["merges"].merges(config["model"]["vocab"])    # the ids of the merges

These two parts make up nearly all of such a file. `read_big_parts` takes 10 ms for Llama 3's file of 9 MB and 32 ms for
Gemma 3's of 33 MB; Python's json takes 80 and 500 ms. The rest of the file is left to Python's json.

The reader knows only the plain case: UTF-8, each key once, ids that are small numbers, no name and no id twice, merges that are
strings or pairs of strings. For anything else, errors included, it returns None. Then Python's json reads the file and decides. So
the reader need not know what is right in unusual cases.
"""

from libc.stddef cimport size_t
from libc.stdint cimport uint8_t, uint32_t, uint64_t
from libc.stdlib cimport calloc, free, malloc
from libc.string cimport memcmp, strlen

from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize

from ffgrammar.core.fresh_pages cimport claim_pages
from ffgrammar.core.short_copy cimport SHORT, copy_short
from ffgrammar.tokens.loaders.json_scanner cimport (
    FOUND, NO_MEMORY, UNUSUAL, ReadStatus, Text, next_byte, skip_string, skip_value, take_byte,
)
from ffgrammar.tokens.loaders.merge_names cimport MERGE_BATCHES, MERGE_BYTES, MERGE_SPARE, read_merges
from ffgrammar.tokens.loaders.merge_texts cimport MergeTexts, list_merges
from ffgrammar.tokens.loaders.name_table cimport NameTable
from ffgrammar.tokens.loaders.vocabulary_entries cimport Entries, EntryName, read_entries
from ffgrammar.tokens.vocabulary.packed_tokens cimport SLACK, PackedTokens

import json

cdef class JsonText:
    """The value of `merges`, still as JSON text. `read_big_parts` makes it."""
    cdef bytes data          # a text in which the value is
    cdef size_t start        # where in this text it begins, and ends
    cdef size_t end
    cdef MergeTexts texts    # where its merges are

    def __dealloc__(self):
        free(self.texts.items)

    def value(self):
        """The value."""
        return json.loads(self.data[self.start : self.end])

    def merges(self, NameTable table not None, never=()):
        """The listed merges, for MergeList: for each merge the ids of its left token, of its right token and of what they become,
        as words of 32 bits. None if a merge is not of two tokens that make a token, or if it is of a token in `never`. Then the
        caller can find this merge in `value`. (Python's json and look-ups in a dict take 450 ms on Llama 3.)

        Args:
            table: the vocabulary.
            never: ids of tokens that may be in no merge.
        """
        cdef Text text = Text(self.data, self.end, 0)
        cdef size_t room = 2 * (self.end - self.start) + MERGE_SPARE
        cdef uint8_t* spare = <uint8_t*>malloc(MERGE_BATCHES * room)
        cdef bytearray is_never = bytearray(table.names.count + 1)
        cdef const uint8_t* banned = <const uint8_t*><char*>is_never
        cdef bytes found = PyBytes_FromStringAndSize(NULL, <Py_ssize_t>self.texts.count * MERGE_BYTES)
        cdef uint32_t* ids = <uint32_t*>PyBytes_AS_STRING(found)
        cdef bint all_found
        for token in never:
            if token < table.names.count:
                is_never[token] = 1
        if spare == NULL:
            raise MemoryError
        claim_pages(ids, <size_t>len(found))
        with nogil:
            all_found = read_merges(&text, &self.texts, table, banned, spare, room, ids)
        free(spare)
        return found if all_found else None


cdef class _Reader:
    """Finds the two parts in a text. It owns what is read of them."""
    cdef bytes data
    cdef Text text
    cdef Entries entries
    cdef uint8_t* spare
    # Where the parts begin and end; 0 where they are not found
    cdef size_t[2] vocabulary
    cdef size_t[2] merges
    cdef MergeTexts texts
    cdef bint has_model

    def __cinit__(self, bytes data not None):
        self.data = data
        self.text = Text(data, len(data), 0)
        # (pages that are not written to take no memory)
        self.entries.unescaped = <uint8_t*>malloc(len(data) + SLACK)
        self.spare = <uint8_t*>malloc(len(data) + 1)
        if self.entries.unescaped == NULL or self.spare == NULL:
            raise MemoryError

    def __dealloc__(self):
        free(self.entries.names)
        free(self.entries.ids)
        free(self.entries.unescaped)
        free(self.spare)
        free(self.texts.items)

    cdef bint is_key(self, const char* name, size_t start, size_t end) noexcept nogil:
        cdef size_t size = strlen(name)
        return end - start == size and memcmp(self.text.data + start, name, size) == 0

    cdef ReadStatus object(self, bint inside) noexcept nogil:
        """Passes over the object that is the whole text or, if `inside`, the one that is `model`. Reads the two parts on the
        way."""
        cdef size_t start, end, at
        cdef ReadStatus status
        if not take_byte(&self.text, c"{"):
            return UNUSUAL
        while True:
            if not take_byte(&self.text, c'"'):
                return UNUSUAL
            start = self.text.at
            if not skip_string(&self.text):
                return UNUSUAL
            end = self.text.at - 1
            for at in range(start, end):
                if self.text.data[at] == c"\\":
                    return UNUSUAL  # this may be another spelling of a key that is looked for
            if not take_byte(&self.text, c":"):
                return UNUSUAL
            next_byte(&self.text)
            status = self.member(start, end, inside)
            if status != FOUND:
                return status
            if take_byte(&self.text, c"}"):
                return FOUND
            if not take_byte(&self.text, c","):
                return UNUSUAL

    cdef ReadStatus member(self, size_t start, size_t end, bint inside) noexcept nogil:
        """Reads or passes over the value of the key in text[start:end]."""
        cdef ReadStatus status
        if not inside and self.is_key("model", start, end):
            if self.has_model:
                return UNUSUAL
            self.has_model = True
            return self.object(True)
        if inside and self.is_key("vocab", start, end):
            if self.vocabulary[1] or not take_byte(&self.text, c"{"):
                return UNUSUAL
            self.vocabulary[0] = self.text.at - 1
            status = read_entries(&self.text, &self.entries)
            self.vocabulary[1] = self.text.at
            return status
        if inside and self.is_key("merges", start, end):
            if self.merges[1]:
                return UNUSUAL
            self.merges[0] = self.text.at
            status = list_merges(&self.text, self.spare, &self.texts)
            self.merges[1] = self.text.at
            return status
        return FOUND if skip_value(&self.text) else UNUSUAL

    cdef NameTable table(self):
        """The vocabulary; None if an id or a name is there twice."""
        cdef NameTable table = NameTable.__new__(NameTable)
        cdef PackedTokens names = self.names()
        cdef uint32_t* ids = self.entries.ids
        if names is None:
            return None
        # (the table owns the ids from here on)
        self.entries.ids = NULL
        return table if table.fill(names, ids, self.entries.count) else None

    cdef PackedTokens names(self):
        """The names by id; None if an id is there twice."""
        cdef PackedTokens names = PackedTokens.__new__(PackedTokens)
        cdef Entries* entries = &self.entries
        cdef uint32_t* place = <uint32_t*>calloc(entries.end, sizeof(uint32_t))  # by id: 1 + the index of its entry
        cdef uint32_t k, token, at = 0
        cdef uint64_t total = 0
        if place == NULL:
            raise MemoryError
        claim_pages(place, entries.end * sizeof(uint32_t))
        try:
            for k in range(entries.count):
                if place[entries.ids[k]]:
                    return None
                place[entries.ids[k]] = k + 1
                total += entries.names[k].size
            names.allocate(entries.end, total)
            for token in range(entries.end):
                if place[token]:
                    at += self.copy_name(&entries.names[place[token] - 1], names.blob + at)
                names.offsets[token + 1] = at
        finally:
            free(place)
        return names

    cdef uint32_t copy_name(self, const EntryName* name, uint8_t* out) noexcept:
        """Copies a name. Returns its size. `out` has room for SHORT bytes."""
        cdef const uint8_t* source = self.entries.unescaped if name.is_unescaped else self.text.data
        copy_short(out, source + name.start, name.size, name.is_unescaped or self.text.size - name.start >= SHORT)
        return name.size

    cdef JsonText merges_text(self):
        """The merges. The reader gives away what it knows of them."""
        cdef JsonText found = JsonText.__new__(JsonText)
        found.data = self.data
        found.start, found.end = self.merges[0], self.merges[1]
        found.texts = self.texts
        self.texts = MergeTexts(NULL, 0, 0)
        return found

    cdef bytes rest(self):
        """The text with empty values in the place of the two parts."""
        cdef size_t at = 0
        pieces = []
        for start, end, empty in sorted(
            [(self.vocabulary[0], self.vocabulary[1], b"{}"), (self.merges[0], self.merges[1], b"[]")]
        ):
            if end:
                pieces += [self.data[at:start], empty]
                at = end
        return b"".join([*pieces, self.data[at:]])


def read_big_parts(bytes data not None):
    """The value of a tokenizer.json, with a NameTable for the `vocab` and a JsonText for the `merges` of its `model`. None if the
    file is not the plain case, or not JSON.

    Args:
        data: the content of the file. It stays in memory as long as the JsonText does.
    """
    cdef _Reader reader
    cdef ReadStatus status
    # (UTF-16 and UTF-32 are left to json, which tells them by zero bytes and byte order marks)
    if not data.startswith(b"{") or data[1:2] == b"\0" or len(data) > 0xFFFFFFF0:
        return None
    reader = _Reader(data)
    with nogil:
        status = reader.object(False)
    if status == NO_MEMORY:
        raise MemoryError
    if status != FOUND or reader.vocabulary[1] == 0:
        return None
    try:
        config = json.loads(reader.rest())
    except (ValueError, RecursionError):
        return None
    # (a model of another kind may have equal names, and its scores are read with more care)
    table = reader.table() if config["model"].get("type", "BPE") == "BPE" else None
    if table is None:
        return None
    config["model"]["vocab"] = table
    if reader.merges[1]:
        config["model"]["merges"] = reader.merges_text()
    return config


def plain(value):
    """A NameTable or a JsonText as plain Python values: the `default` of json.dumps."""
    return dict(value.items()) if isinstance(value, NameTable) else (<JsonText?>value).value()
