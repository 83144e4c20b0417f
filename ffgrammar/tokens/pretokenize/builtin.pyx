"""The pre-tokenizers of cl100k_base and o200k_base, written by hand.

A regex library follows its own version of Unicode, and the versions differ (U+0295 is a lower-case letter in one and not in the
next). So the same text would get different tokens on different machines. Here the classes of all code points come with the
package, as tiktoken has them (pack_classes.py). What the backtracking of these two patterns comes to is simple enough to be
written by hand. That is much faster than a regex library, and needs no GIL. All other patterns go through automaton.py and
table.pyx, as these two do for the rules of canonical sequences.

`_cl100k` and `_o200k` return where the pre-token that starts at `at` ends. They need at < end, and text[:end] must be UTF-8.
"""

import os
import zlib

from libc.stddef cimport size_t
from libc.stdint cimport uint8_t, uint32_t
from libc.stdlib cimport free, malloc
from libc.string cimport memcpy

from ffgrammar.core.errors import TokenizerError
from ffgrammar.core.forks import new_lock

# The bits of the class byte of a code point. pack_classes.py writes these bytes.
cdef enum:
    UPPER = 1    # Lu, Lt
    LOWER = 2    # Ll
    CASELESS = 4  # Lm, Lo
    MARK = 8     # M
    NUMBER = 16  # N
    SPACE = 32   # \s
    BREAK = 64   # \r, \n
    SIGN = 128   # P, S
    LETTER = UPPER | LOWER | CASELESS
    HEAD = UPPER | CASELESS | MARK  # o200k: what a word may begin with
    TAIL = LOWER | CASELESS | MARK  # o200k: what a word may go on with

BLOCK = 256
BLOCKS = 0x110000 // BLOCK

cdef CharClasses _loaded = None
_loading = new_lock()


cdef class CharClasses:
    """The class byte of every code point, as a table of two stages: `classes[code_point]`.

    Args:
        packed: a zlib stream of the block number for each 256 code points, followed by the blocks.

    Raises:
        TokenizerError: the data are damaged.
    """

    def __cinit__(self, packed):
        try:
            raw = zlib.decompress(packed)
        except zlib.error as error:
            raise TokenizerError(f"character classes: {error}") from None
        count = (len(raw) - BLOCKS) // BLOCK
        if len(raw) <= BLOCKS or len(raw) != BLOCKS + count * BLOCK or max(raw[:BLOCKS]) >= count:
            raise TokenizerError("character classes: the table has a wrong size")
        self.blocks = <uint8_t*>malloc(count * BLOCK)
        if self.blocks == NULL:
            raise MemoryError()
        cdef const uint8_t* source = raw
        memcpy(self.first, source, BLOCKS)
        memcpy(self.blocks, source + <size_t>BLOCKS, count * BLOCK)

    def __dealloc__(self):
        free(self.blocks)

    def __getitem__(self, code_point):
        """The class byte of a code point. Raises IndexError if it is out of range."""
        if not 0 <= code_point < 0x110000:
            raise IndexError(f"{code_point} is not a code point")
        return self.blocks[<uint32_t>self.first[code_point >> 8] << 8 | (code_point & 0xFF)]


cdef CharClasses char_classes():
    global _loaded
    # (the lock is also needed to read `_loaded`: in a Python without the GIL another thread may be writing it)
    with _loading:
        if _loaded is None:
            path = os.path.join(os.path.dirname(__file__), "data", "classes.bin")
            try:
                with open(path, "rb") as file:
                    _loaded = CharClasses(file.read())
            except OSError as error:
                raise TokenizerError(f"character classes: cannot read {path}: {error.strerror}") from None
        return _loaded


cdef inline uint32_t _class(CharClasses classes, const uint8_t* text, size_t* at) noexcept nogil:
    """The class byte of the code point at `at`. Moves `at` behind the code point."""
    cdef size_t i = at[0]
    cdef uint32_t code = text[i]
    if code < 0x80:
        at[0] = i + 1
    elif code < 0xE0:
        code = (code & 0x1F) << 6 | (text[i + 1] & 0x3F)
        at[0] = i + 2
    elif code < 0xF0:
        code = (code & 0x0F) << 12 | <uint32_t>(text[i + 1] & 0x3F) << 6 | (text[i + 2] & 0x3F)
        at[0] = i + 3
    else:
        code = (
            (code & 0x07) << 18
            | <uint32_t>(text[i + 1] & 0x3F) << 12
            | <uint32_t>(text[i + 2] & 0x3F) << 6
            | (text[i + 3] & 0x3F)
        )
        at[0] = i + 4
    return classes.blocks[<uint32_t>classes.first[code >> 8] << 8 | (code & 0xFF)]


cdef inline size_t _run(
    CharClasses classes, const uint8_t* text, size_t at, size_t end, uint32_t members
) noexcept nogil:
    """The end of the run of code points from `at` on that are of the classes in `members`. The run may be empty."""
    cdef size_t after = at
    while at < end:
        if not _class(classes, text, &after) & members:
            break
        at = after
    return at


cdef inline size_t _run_without(
    CharClasses classes, const uint8_t* text, size_t at, size_t end, uint32_t others
) noexcept nogil:
    """The end of the run of code points from `at` on that are of none of the classes in `others`. The run may be empty."""
    cdef size_t after = at
    while at < end:
        if _class(classes, text, &after) & others:
            break
        at = after
    return at


cdef size_t _contraction(const uint8_t* text, size_t at, size_t end) noexcept nogil:
    """The end of one of 's 't 'm 'd 'll 've 're, in any case, that starts at `at`; `at` if there is none. U+017F is an s in
    another case."""
    cdef uint8_t one, two
    if end - at < 2 or text[at] != c"'":
        return at
    one = text[at + 1] | 0x20
    if one in (c"s", c"d", c"m", c"t"):
        return at + 2
    if end - at < 3:
        return at
    if text[at + 1] == 0xC5 and text[at + 2] == 0xBF:
        return at + 3
    two = text[at + 2] | 0x20
    if (one == c"l" and two == c"l") or (one == c"v" and two == c"e") or (one == c"r" and two == c"e"):
        return at + 3
    return at


cdef inline size_t _digits(CharClasses classes, const uint8_t* text, size_t at, size_t end) noexcept nogil:
    """The end of up to three code points of the class NUMBER from `at` on."""
    cdef size_t after = at
    cdef int taken = 0
    while taken < 3 and at < end and _class(classes, text, &after) & NUMBER:
        at = after
        taken += 1
    return at


cdef size_t _space(CharClasses classes, const uint8_t* text, size_t at, size_t end) noexcept nogil:
    r"""The end of a pre-token of white space.

    If the run of white space has line breaks, the pre-token ends after the last line break. Otherwise, if the text ends with the
    run, the pre-token is the whole run. Otherwise it is the run without its last character, which belongs to what follows; but a
    run of one character is a pre-token. (In cl100k a run at the end of the text is one pre-token even if it has line breaks: see
    `_cl100k`.)
    """
    cdef size_t here = at, after = at, line = 0, last = at
    while here < end:
        if not _class(classes, text, &after) & SPACE:
            break
        if text[here] == c"\n" or text[here] == c"\r":
            line = after
        last = here
        here = after
    if line:
        return line
    if here == end or last == at:
        return here
    return last


cdef size_t _cl100k(CharClasses classes, const uint8_t* text, size_t at, size_t end) noexcept nogil:
    # '(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+
    # | ?[^\s\p{L}\p{N}]++[\r\n]*+|\s++$|\s*[\r\n]|\s+(?!\S)|\s
    cdef size_t after = at, here = at, stop = _contraction(text, at, end)
    cdef uint32_t kind
    if stop > at:
        return stop
    kind = _class(classes, text, &after)
    if kind & LETTER:
        return _run(classes, text, after, end, LETTER)
    if kind & NUMBER:
        return _digits(classes, text, at, end)
    if not kind & BREAK:
        stop = _run(classes, text, after, end, LETTER)
        if stop > after:
            return stop
    if text[at] == c" ":
        here = after
    stop = _run_without(classes, text, here, end, SPACE | LETTER | NUMBER)
    if stop > here:
        return _run(classes, text, stop, end, BREAK)
    stop = _run(classes, text, at, end, SPACE)
    return end if stop == end else _space(classes, text, at, end)


cdef size_t _word(CharClasses classes, const uint8_t* text, size_t at, size_t end) noexcept nogil:
    """The end of the match of [HEAD]*[TAIL]+ at `at`, or 0 if there is none."""
    cdef size_t here = at, after = at, last_tail = 0
    cdef uint32_t kind = 0
    while here < end:
        kind = _class(classes, text, &after)
        if not kind & HEAD:
            break
        if kind & TAIL:
            last_tail = after
        here = after
    if here < end and kind & TAIL:
        return _run(classes, text, here, end, TAIL)
    # [HEAD]* has taken all characters up to here. By backtracking it gives characters back, up to the last one that is in TAIL
    # too. [TAIL]+ takes this one.
    return last_tail


cdef size_t _o200k(CharClasses classes, const uint8_t* text, size_t at, size_t end) noexcept nogil:
    # A  [^\r\n\p{L}\p{N}]?[HEAD]*[TAIL]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?
    # B  [^\r\n\p{L}\p{N}]?[HEAD]+[TAIL]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?
    # then \p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+
    cdef size_t after = at, here, stop = 0
    cdef uint32_t kind = _class(classes, text, &after)
    cdef bint led = not kind & (LETTER | NUMBER | BREAK)
    if led:
        stop = _word(classes, text, after, end)
    if not stop:
        stop = _word(classes, text, at, end)
    if not stop:
        # A has failed, so [TAIL]* of B matches the empty text: with a tail there, A would have matched.
        here = after if led else at
        stop = _run(classes, text, here, end, HEAD)
        if stop == here:
            stop = 0
    if stop:
        return _contraction(text, stop, end)
    if kind & NUMBER:
        return _digits(classes, text, at, end)
    here = after if text[at] == c" " else at
    stop = _run_without(classes, text, here, end, SPACE | LETTER | NUMBER)
    if stop > here:
        while stop < end and (text[stop] == c"\r" or text[stop] == c"\n" or text[stop] == c"/"):
            stop += 1
        return stop
    return _space(classes, text, at, end)


cdef size_t next_pretoken(
    Splitter splitter, CharClasses classes, const uint8_t* text, size_t at, size_t end
) noexcept nogil:
    if splitter == SPLIT_CL100K:
        return _cl100k(classes, text, at, end)
    return _o200k(classes, text, at, end)
