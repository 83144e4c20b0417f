"""The two big parts of a tokenizer.json, `vocab` and `merges` of its `model`, without a Python object for each entry.

    config = read_big_parts(data)
    config["model"]["vocab"]        # a NameTable, in the place of a dict
    config["model"]["merges"]       # a JsonText: checked, and not read yet
    config["model"]["merges"].merges(config["model"]["vocab"])    # the ids of the merges

These two parts make up nearly all of such a file. `read_big_parts` takes 12 ms for Llama 3's file of 9 MB and 39 ms for
Gemma 3's of 33 MB; Python's json takes 107 and 331 ms. The rest of the file is left to Python's json.

The reader knows only the plain case: UTF-8, each key once, ids that are small numbers, no name and no id twice, merges that are
strings or pairs of strings. For anything else, errors included, it returns None. Then Python's json reads the file and decides. So
the reader need not know what is right in unusual cases.
"""

from libc.stddef cimport size_t
from libc.stdint cimport int32_t, uint8_t, uint32_t
from libc.stdlib cimport free, malloc, realloc
from libc.string cimport memchr, memcmp, memcpy, memmove, strlen

from ffgrammar.core.utf8 cimport Utf8, utf8_step, utf8_write
from ffgrammar.core.vec cimport Vec, vec_extend, vec_free, vec_init
from ffgrammar.tokens.loaders.name_table cimport NameTable
from ffgrammar.tokens.vocabulary.packed_tokens cimport PackedTokens
from ffgrammar.tokens.vocabulary.token_index cimport TokenIndex, index_find

import json

cdef enum:
    MAX_ID = (1 << 24) - 33  # the largest id that a vocabulary may have

cdef enum Status:
    FOUND = 0
    UNUSUAL = -1
    NO_MEMORY = -2


cdef struct Text:
    const uint8_t* data
    size_t size
    size_t at


cdef struct Entries:
    # The entries of `vocab`, in the order of the file. The name of entry k is names[starts[k]:starts[k + 1]].
    uint8_t* names
    uint32_t* starts
    uint32_t* ids
    uint32_t count
    uint32_t room
    uint32_t end    # how many ids there are: 1 + the largest


cdef inline uint8_t _next(Text* text) noexcept nogil:
    """Passes over white space. Returns the byte after it, 0 at the end."""
    cdef uint8_t one
    while text.at < text.size:
        one = text.data[text.at]
        if one != c" " and one != c"\n" and one != c"\t" and one != c"\r":
            return one
        text.at += 1
    return 0


cdef inline bint _take(Text* text, uint8_t wanted) noexcept nogil:
    """Passes over white space and then over the byte `wanted`. Returns False if another byte, or none, is there."""
    if _next(text) != wanted:
        return False
    text.at += 1
    return True


cdef inline int _hex4(const uint8_t* digits) noexcept nogil:
    """The value of four hexadecimal digits, or -1."""
    cdef int value = 0, i
    cdef uint8_t one
    for i in range(4):
        one = digits[i]
        if c"0" <= one <= c"9":
            value = value << 4 | (one - c"0")
        elif c"a" <= one | 0x20 <= c"f":
            value = value << 4 | ((one | 0x20) - c"a" + 10)
        else:
            return -1
    return value


cdef int _escape(Text* text, uint8_t* out) noexcept nogil:
    """Reads what follows a backslash, and writes the character to `out` in UTF-8. Returns how many bytes it has, or UNUSUAL."""
    cdef int code, low
    cdef uint8_t one
    if text.at >= text.size:
        return UNUSUAL
    one = text.data[text.at]
    text.at += 1
    if one == c"u":
        if text.size - text.at < 4:
            return UNUSUAL
        code = _hex4(text.data + text.at)
        text.at += 4
        if 0xD800 <= code < 0xDC00 and text.size - text.at >= 6 and text.data[text.at] == c"\\" and \
                text.data[text.at + 1] == c"u":
            low = _hex4(text.data + text.at + 2)
            if not 0xDC00 <= low < 0xE000:
                return UNUSUAL
            code = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00)
            text.at += 6
        if code < 0 or 0xD800 <= code < 0xE000:
            return UNUSUAL
        return utf8_write(<uint32_t>code, out)
    if one == c"n":
        out[0] = c"\n"
    elif one == c"t":
        out[0] = c"\t"
    elif one == c"r":
        out[0] = c"\r"
    elif one == c"b":
        out[0] = 8
    elif one == c"f":
        out[0] = 12
    elif one == c'"' or one == c"\\" or one == c"/":
        out[0] = one
    else:
        return UNUSUAL
    return 1


cdef long _string(Text* text, uint8_t* out) noexcept nogil:
    """Reads the rest of a string, after its first quote. Writes its UTF-8 to `out`, which has room for as many bytes as the JSON
    text has. Returns how many bytes are written, or UNUSUAL."""
    # (copies, because the compiler must assume that a write to `out` may change the text)
    cdef const uint8_t* data = text.data
    cdef size_t at = text.at
    cdef size_t size = text.size
    cdef uint8_t* to = out
    cdef uint8_t one
    cdef Utf8 character
    cdef int made
    while at < size:
        one = data[at]
        at += 1
        if one >= 0x80:
            character.need = 0
            if not utf8_step(&character, one):
                return UNUSUAL
            to[0] = one
            to += 1
            while character.need:
                if at >= size or not utf8_step(&character, data[at]):
                    return UNUSUAL
                to[0] = data[at]
                to += 1
                at += 1
        elif one == c'"':
            text.at = at
            return to - out
        elif one == c"\\":
            text.at = at
            made = _escape(text, to)
            if made < 0:
                return UNUSUAL
            at = text.at
            to += made
        elif one < 0x20:
            return UNUSUAL
        else:
            to[0] = one
            to += 1
    return UNUSUAL


cdef bint _skip_string(Text* text) noexcept nogil:
    """Passes over the rest of a string, without a check of what is in it. Returns whether it ends."""
    while text.at < text.size:
        if text.data[text.at] == c'"':
            text.at += 1
            return True
        text.at += 2 if text.data[text.at] == c"\\" else 1
    return False


cdef bint _skip_value(Text* text) noexcept nogil:
    """Passes over a value, without a check of what is in it. Returns whether it ends."""
    cdef uint32_t depth = 0
    cdef uint8_t one = _next(text)
    while text.at < text.size:
        one = text.data[text.at]
        if depth == 0 and (one == c"," or one == c"}" or one == c"]"):
            return True
        text.at += 1
        if one == c'"':
            if not _skip_string(text):
                return False
        elif one == c"{" or one == c"[":
            depth += 1
        elif one == c"}" or one == c"]":
            depth -= 1
    return False


cdef long _number(Text* text) noexcept nogil:
    """Reads an id. Returns it, or UNUSUAL."""
    cdef long value = 0
    cdef size_t first
    _next(text)
    first = text.at
    while text.at < text.size and c"0" <= text.data[text.at] <= c"9" and value <= MAX_ID:
        value = 10 * value + (text.data[text.at] - c"0")
        text.at += 1
    if text.at == first or value > MAX_ID or (text.data[first] == c"0" and text.at > first + 1):
        return UNUSUAL
    return value


cdef Status _vocabulary(Text* text, Entries* entries) noexcept nogil:
    """Reads the object of `vocab`, after its brace. `entries.names` has room for all of the text."""
    cdef long size, token
    cdef uint32_t made = 0
    cdef void* more
    if _take(text, c"}"):
        return UNUSUAL
    while True:
        if not _take(text, c'"'):
            return UNUSUAL
        size = _string(text, entries.names + made)
        if size <= 0 or not _take(text, c":"):
            return UNUSUAL
        token = _number(text)
        if token < 0:
            return UNUSUAL
        if entries.count + 1 >= entries.room:
            entries.room = 2 * entries.room + 1024
            more = realloc(entries.starts, entries.room * sizeof(uint32_t))
            if more == NULL:
                return NO_MEMORY
            entries.starts = <uint32_t*>more
            more = realloc(entries.ids, entries.room * sizeof(uint32_t))
            if more == NULL:
                return NO_MEMORY
            entries.ids = <uint32_t*>more
        entries.starts[entries.count] = made
        entries.ids[entries.count] = <uint32_t>token
        entries.count += 1
        made += <uint32_t>size
        entries.starts[entries.count] = made
        if token >= entries.end:
            entries.end = <uint32_t>token + 1
        if _take(text, c"}"):
            return FOUND
        if not _take(text, c","):
            return UNUSUAL


cdef bint _merge(Text* text, uint8_t* spare) noexcept nogil:
    """Checks one entry of `merges`: a string, or an array of two. `spare` has room for all of the text."""
    if _take(text, c'"'):
        return _string(text, spare) >= 0
    if not _take(text, c"[") or not _take(text, c'"') or _string(text, spare) < 0:
        return False
    if not _take(text, c",") or not _take(text, c'"') or _string(text, spare) < 0:
        return False
    return _take(text, c"]")


cdef bint _merges(Text* text, uint8_t* spare) noexcept nogil:
    """Checks the array of `merges`."""
    if not _take(text, c"["):
        return False
    if _take(text, c"]"):
        return True
    while _merge(text, spare):
        if _take(text, c"]"):
            return True
        if not _take(text, c","):
            return False
    return False


cdef long _merge_names(Text* text, uint8_t* out, size_t* cut) noexcept nogil:
    """Reads one entry of `merges`, which `_merge` has checked. Writes its two names to `out`, one right after the other. Sets
    `cut` to the size of the first. Returns the size of both together, or UNUSUAL if the entry is not of two names."""
    cdef uint8_t* space
    cdef long size
    if _take(text, c'"'):
        size = _string(text, out)
        space = <uint8_t*>memchr(out, c" ", size) if size > 0 else NULL
        if space == NULL:
            return UNUSUAL
        cut[0] = space - out
        size -= 1
        memmove(space, space + 1, size - cut[0])
        return UNUSUAL if memchr(space, c" ", size - cut[0]) != NULL else size
    text.at += 1  # the bracket
    _take(text, c'"')
    cut[0] = _string(text, out)
    _take(text, c",")
    _take(text, c'"')
    size = cut[0] + _string(text, out + cut[0])
    _take(text, c"]")
    return size


cdef Status _merge_ids(
    Text* text, const TokenIndex* index, const uint8_t* never, uint8_t* spare, Vec* found
) noexcept nogil:
    """Appends the ids of all merges to `found`: left token, right token, and what they become. `text` is at the array of
    `merges`, which `_merges` has checked. never[i] is 1 if token i may be in no merge. `spare` has room for all of the text."""
    cdef uint32_t[3] ids
    cdef int32_t left, right, whole
    cdef size_t cut = 0
    cdef long size
    _take(text, c"[")
    if _take(text, c"]"):
        return FOUND
    while True:
        size = _merge_names(text, spare, &cut)
        if size < 0:
            return UNUSUAL
        left = index_find(index, spare, cut)
        right = index_find(index, spare + cut, size - cut)
        whole = index_find(index, spare, size)
        if left < 0 or right < 0 or whole < 0 or never[left] or never[right]:
            return UNUSUAL
        ids[0], ids[1], ids[2] = <uint32_t>left, <uint32_t>right, <uint32_t>whole
        if vec_extend(found, ids, 3) < 0:
            return NO_MEMORY
        if not _take(text, c","):
            return FOUND


cdef class JsonText:
    """A value that is still JSON text.

    Args:
        data: a text in which the value is.
        start, end: where in this text the value begins and ends.
    """
    cdef bytes data
    cdef size_t start
    cdef size_t end

    def __cinit__(self, bytes data not None, size_t start, size_t end):
        self.data = data
        self.start = start
        self.end = end

    def value(self):
        """The value."""
        return json.loads(self.data[self.start : self.end])

    def merges(self, NameTable table not None, never=()):
        """The listed merges, for MergeList: for each merge the ids of its left token, of its right token and of what they become,
        as words of 32 bits. None if a merge is not of two tokens that make a token, or if it is of a token in `never`. Then the
        caller can find this merge in `value`. (On Llama 3 this takes 35 ms. Python's json and look-ups in a dict take 450 ms.)

        Args:
            table: the vocabulary.
            never: ids of tokens that may be in no merge.
        """
        cdef Text text = Text(self.data, self.end, self.start)
        cdef uint8_t* spare = <uint8_t*>malloc(self.end - self.start + 1)
        cdef bytearray is_never = bytearray(table.names.count + 1)
        cdef const uint8_t* banned = <const uint8_t*><char*>is_never
        cdef Status status = NO_MEMORY
        cdef Vec found
        for token in never:
            if token < table.names.count:
                is_never[token] = 1
        vec_init(&found)
        try:
            if spare != NULL:
                with nogil:
                    status = _merge_ids(&text, &table.index, banned, spare, &found)
            if status == NO_MEMORY:
                raise MemoryError
            return (<char*>found.data)[: found.len * sizeof(uint32_t)] if status == FOUND else None
        finally:
            free(spare)
            vec_free(&found)


cdef class _Reader:
    """Finds the two parts in a text. It owns what is read of them."""
    cdef bytes data
    cdef Text text
    cdef Entries entries
    cdef uint8_t* spare
    # Where the parts begin and end; 0 where they are not found
    cdef size_t[2] vocabulary
    cdef size_t[2] merges
    cdef bint has_model

    def __cinit__(self, bytes data not None):
        self.data = data
        self.text = Text(data, len(data), 0)
        # (pages that are not written to take no memory)
        self.entries.names = <uint8_t*>malloc(len(data) + 1)
        self.spare = <uint8_t*>malloc(len(data) + 1)
        if self.entries.names == NULL or self.spare == NULL:
            raise MemoryError

    def __dealloc__(self):
        free(self.entries.names)
        free(self.entries.starts)
        free(self.entries.ids)
        free(self.spare)

    cdef bint is_key(self, const char* name, size_t start, size_t end) noexcept nogil:
        cdef size_t size = strlen(name)
        return end - start == size and memcmp(self.text.data + start, name, size) == 0

    cdef Status object(self, bint inside) noexcept nogil:
        """Passes over the object that is the whole text or, if `inside`, the one that is `model`. Reads the two parts on the
        way."""
        cdef size_t start, end, at
        cdef Status status
        if not _take(&self.text, c"{"):
            return UNUSUAL
        while True:
            if not _take(&self.text, c'"'):
                return UNUSUAL
            start = self.text.at
            if not _skip_string(&self.text):
                return UNUSUAL
            end = self.text.at - 1
            for at in range(start, end):
                if self.text.data[at] == c"\\":
                    return UNUSUAL  # this may be another spelling of a key that is looked for
            if not _take(&self.text, c":"):
                return UNUSUAL
            _next(&self.text)
            status = self.member(start, end, inside)
            if status != FOUND:
                return status
            if _take(&self.text, c"}"):
                return FOUND
            if not _take(&self.text, c","):
                return UNUSUAL

    cdef Status member(self, size_t start, size_t end, bint inside) noexcept nogil:
        """Reads or passes over the value of the key in text[start:end]."""
        cdef Status status
        if not inside and self.is_key("model", start, end):
            if self.has_model:
                return UNUSUAL
            self.has_model = True
            return self.object(True)
        if inside and self.is_key("vocab", start, end):
            if self.vocabulary[1] or not _take(&self.text, c"{"):
                return UNUSUAL
            self.vocabulary[0] = self.text.at - 1
            status = _vocabulary(&self.text, &self.entries)
            self.vocabulary[1] = self.text.at
            return status
        if inside and self.is_key("merges", start, end):
            if self.merges[1]:
                return UNUSUAL
            self.merges[0] = self.text.at
            if not _merges(&self.text, self.spare):
                return UNUSUAL
            self.merges[1] = self.text.at
            return FOUND
        return FOUND if _skip_value(&self.text) else UNUSUAL

    cdef NameTable table(self):
        """The vocabulary; None if an id or a name is there twice."""
        cdef PackedTokens names = PackedTokens.__new__(PackedTokens)
        cdef NameTable table = NameTable.__new__(NameTable)
        cdef Entries* entries = &self.entries
        cdef uint32_t* ids
        cdef uint32_t k, token
        names.allocate(entries.end, entries.starts[entries.count])
        for k in range(entries.count):
            token = entries.ids[k]
            if names.offsets[token + 1]:
                return None
            names.offsets[token + 1] = entries.starts[k + 1] - entries.starts[k]
        for token in range(entries.end):
            names.offsets[token + 1] += names.offsets[token]
        for k in range(entries.count):
            memcpy(
                names.blob + names.offsets[entries.ids[k]],
                entries.names + entries.starts[k],
                entries.starts[k + 1] - entries.starts[k],
            )
        # (the table owns the ids from here on)
        ids = entries.ids
        entries.ids = NULL
        distinct = table.fill(names, ids, entries.count)
        return table if distinct else None

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
    cdef Status status
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
        config["model"]["merges"] = JsonText(data, reader.merges[0], reader.merges[1])
    return config


def plain(value):
    """A NameTable or a JsonText as plain Python values: the `default` of json.dumps."""
    return dict(value.items()) if isinstance(value, NameTable) else (<JsonText?>value).value()
