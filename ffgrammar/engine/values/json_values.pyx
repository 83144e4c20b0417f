"""Texts come from a model and may end anywhere. Reading a scalar never goes past the end, whatever the text is."""

from libc.stdint cimport int64_t, uint8_t, uint32_t, uint64_t
from libc.stdlib cimport qsort
from libc.string cimport memcmp, memcpy

from ffgrammar.core.hexadecimal cimport hex_digits4
from ffgrammar.core.intern cimport (
    intern_add, intern_count, intern_free, intern_get, intern_init, intern_truncate,
)
from ffgrammar.core.owner cimport own_intern, own_vec, owner_bytes, owner_free, owner_init, owner_status
from ffgrammar.core.status cimport NO_MEMORY, OK
from ffgrammar.core.utf8 cimport utf8_write
from ffgrammar.core.vec cimport vec_extend, vec_fill, vec_push, vec_reserve

cdef enum Kind:
    K_LITERAL
    K_STRING
    K_NUMBER
    K_ARRAY
    K_OBJECT

cdef enum:
    # an exponent with no more digits than this fits an int64, and still fits when the length of a number is added
    EXPONENT_DIGITS = 17
    # bytes by which the canonical text of a number may be longer than the text that was read
    NUMBER_ROOM = 64

cdef int64_t EXPONENT_BOUND = 100000000000000000  # ten to the power EXPONENT_DIGITS


cdef int values_init(Values* v) noexcept nogil:
    owner_init(&v.owner)
    own_intern(&v.owner, &v.tuples)
    own_vec(&v.owner, &v.parts)
    own_vec(&v.owner, &v.strings)
    own_vec(&v.owner, &v.candidates)
    own_vec(&v.owner, &v.bytes)
    own_vec(&v.owner, &v.tuple)
    return owner_status(&v.owner)


cdef void values_free(Values* v) noexcept nogil:
    owner_free(&v.owner)


cdef int values_clear(Values* v) noexcept nogil:
    intern_free(&v.tuples)
    v.strings.len = 0
    return intern_init(&v.tuples)


cdef size_t values_bytes(const Values* v) noexcept nogil:
    return owner_bytes(&v.owner)


cdef void values_truncate(Values* v, uint32_t count) noexcept nogil:
    if intern_count(&v.tuples) > count:
        intern_truncate(&v.tuples, count)
        while v.strings.len and v.strings.data[v.strings.len - 1] >= count:
            v.strings.len -= 1


cdef int add_text(Values* v, Kind kind, size_t count, uint32_t* value) noexcept nogil:
    """Intern the first `count` bytes of `bytes` as a text. Returns a status."""
    cdef int status
    v.tuple.len = 0
    if vec_push(&v.tuple, kind) < 0 or vec_push(&v.tuple, <uint32_t>count) < 0:
        return NO_MEMORY
    if vec_fill(&v.tuple, (count + 3) >> 2, 0) < 0:
        return NO_MEMORY
    memcpy(v.tuple.data + 2, v.bytes.data, count)
    status = intern_add(&v.tuples, v.tuple.data, v.tuple.len, value)
    if status > 0 and kind == K_STRING and count >= LONG_STRING:
        status = vec_push(&v.strings, value[0])
    return status


cdef uint8_t short_escape(uint8_t letter) noexcept nogil:
    """The character that a letter stands for after a backslash."""
    if letter == c'n':
        return c'\n'
    if letter == c't':
        return c'\t'
    if letter == c'r':
        return c'\r'
    if letter == c'b':
        return 8
    if letter == c'f':
        return 12
    return letter


cdef const uint8_t* read_string(const uint8_t* at, const uint8_t* end, uint8_t** out) noexcept nogil:
    """Write what the text after an opening quote spells. Returns where it stopped: at the closing quote, at an escape that is
    not complete, or at the end of the text."""
    cdef int code, low
    while at < end and at[0] != c'"':
        if at[0] != c'\\':
            out[0][0] = at[0]
            out[0] += 1
            at += 1
            continue
        if end - at < 2:
            return at
        if at[1] != c'u':
            out[0][0] = short_escape(at[1])
            out[0] += 1
            at += 2
            continue
        code = -1 if end - at < 6 else hex_digits4(at + 2)
        if code < 0:
            return at
        at += 6
        if 0xD800 <= code < 0xDC00 and end - at >= 6 and at[0] == c'\\' and at[1] == c'u':
            low = hex_digits4(at + 2)
            if 0xDC00 <= low < 0xE000:
                code = 0x10000 + ((code & 0x3FF) << 10 | (low & 0x3FF))
                at += 6
        out[0] += utf8_write(<uint32_t>code, out[0])
    return at


cdef uint8_t* put_number(uint8_t* out, uint64_t number, uint32_t width) noexcept nogil:
    """Write a natural number, padded with zeros to a width. Returns the end of what it wrote."""
    cdef uint8_t digits[24]
    cdef uint32_t count = 0
    while number or count < width or not count:
        digits[count] = c'0' + number % 10
        number //= 10
        count += 1
    while count:
        count -= 1
        out[0] = digits[count]
        out += 1
    return out


cdef uint8_t* put_exponent(uint8_t* out, const uint8_t* digits, size_t count, bint negative, int64_t more) noexcept nogil:
    """Write the sum of `more`, which is small, and of an exponent, which is given by its sign and digits. Returns the end of
    what it wrote."""
    cdef uint8_t* first
    cdef uint8_t* at
    cdef int64_t low = 0
    cdef size_t kept = 0
    cdef size_t i
    while count and digits[0] == c'0':
        digits += 1
        count -= 1
    if count > EXPONENT_DIGITS:
        kept = count - EXPONENT_DIGITS
    for i in range(kept, count):
        low = low * 10 + (digits[i] - c'0')
    if not kept:
        low = (-low if negative else low) + more
        if low < 0:
            out[0] = c'-'
            out += 1
        return put_number(out, <uint64_t>(-low if low < 0 else low), 0)
    # the sign stays, and `more` changes the upper digits by one at most
    if negative:
        out[0] = c'-'
        out += 1
    low += -more if negative else more
    first = out
    out[0] = c'0'
    memcpy(out + 1, digits, kept)
    out += kept + 1
    at = out - 1
    if low < 0:
        low += EXPONENT_BOUND
        while at[0] == c'0':
            at[0] = c'9'
            at -= 1
        at[0] -= 1
    elif low >= EXPONENT_BOUND:
        low -= EXPONENT_BOUND
        while at[0] == c'9':
            at[0] = c'0'
            at -= 1
        at[0] += 1
    at = first
    while at < out and at[0] == c'0':
        at += 1
    if at == out:
        return put_number(first, <uint64_t>low, 0)
    for i in range(<size_t>(out - at)):
        first[i] = at[i]
    return put_number(first + (out - at), <uint64_t>low, EXPONENT_DIGITS)


cdef const uint8_t* read_number(const uint8_t* at, const uint8_t* end, uint8_t** out) noexcept nogil:
    """Write the canonical text of a number: a minus if it is negative, its digits without zeros at
    either end, `e`, and an exponent. The digits stand for a fraction, as if a point came before the
    first of them: 12.50 becomes 125e2, which stands for 0.125e2. For zero nothing is written. Returns
    what follows the number in the text."""
    cdef const uint8_t* digits
    cdef uint8_t* start = out[0]
    cdef uint8_t* first
    cdef uint8_t* last
    cdef bint negative = at[0] == c'-'
    cdef bint before_point = True
    cdef int64_t point = 0
    cdef size_t count = 0
    if negative:
        out[0][0] = c'-'
        out[0] += 1
        at += 1
    first = last = out[0]
    while at < end and (c'0' <= at[0] <= c'9' or at[0] == c'.'):
        if at[0] == c'.':
            before_point = False
        else:
            if last > first or at[0] != c'0':
                last[0] = at[0]
                last += 1
                point += before_point
            elif not before_point:
                point -= 1
        at += 1
    while last > first and (last - 1)[0] == c'0':
        last -= 1
    out[0] = start if last == first else last
    negative = False
    digits = at
    if at < end and (at[0] | 32) == c'e':
        at += 1
        if at < end and (at[0] == c'+' or at[0] == c'-'):
            negative = at[0] == c'-'
            at += 1
        digits = at
        while at < end and c'0' <= at[0] <= c'9':
            at += 1
        count = at - digits
    if last > first:
        out[0][0] = c'e'
        out[0] = put_exponent(out[0] + 1, digits, count, negative, point)
    return at


cdef int values_scalar(Values* v, const uint8_t* text, size_t count, uint32_t* value) noexcept nogil:
    cdef const uint8_t* at = text
    cdef const uint8_t* end = text + count
    cdef uint8_t* out
    cdef uint8_t byte = text[0]
    cdef int status = OK
    value[0] = MALFORMED
    # only the canonical text of a number can be longer than the text that is read, because of its exponent
    v.bytes.len = 0
    if vec_reserve(&v.bytes, (count + NUMBER_ROOM) >> 2) < 0:
        return NO_MEMORY
    out = <uint8_t*>v.bytes.data
    if byte == c'"':
        at = read_string(at + 1, end, &out)
        if at < end and at[0] == c'"':
            at += 1
            status = add_text(v, K_STRING, out - <uint8_t*>v.bytes.data, value)
        else:
            at = end
    elif byte == c'-' or c'0' <= byte <= c'9':
        at = read_number(at, end, &out)
        status = add_text(v, K_NUMBER, out - <uint8_t*>v.bytes.data, value)
    else:
        while at < end and c'a' <= at[0] <= c'z':
            out[0] = at[0]
            out += 1
            at += 1
        if at > text:
            status = add_text(v, K_LITERAL, out - <uint8_t*>v.bytes.data, value)
        else:
            at += 1
    return status if status < 0 else <int>(at - text)


cdef int by_key(const void* a, const void* b) noexcept nogil:
    """Compare (key, index, value): by key, then by index."""
    cdef const uint32_t* x = <const uint32_t*>a
    cdef const uint32_t* y = <const uint32_t*>b
    if x[0] != y[0]:
        return -1 if x[0] < y[0] else 1
    return -1 if x[1] < y[1] else 1


cdef int values_container(Values* v, uint8_t bracket, uint32_t* value) noexcept nogil:
    cdef const uint32_t* parts = v.parts.data
    cdef size_t count = v.parts.len
    cdef size_t i, kept
    cdef uint32_t* members
    value[0] = MALFORMED
    for i in range(count):
        if parts[i] >= <uint32_t>FRESH:
            if parts[i] == <uint32_t>FRESH:
                value[0] = FRESH
            return OK
    v.tuple.len = 0
    if vec_push(&v.tuple, K_ARRAY if bracket == c']' else K_OBJECT) < 0:
        return NO_MEMORY
    if bracket == c']':
        if vec_extend(&v.tuple, parts, count) < 0:
            return NO_MEMORY
    else:
        if count & 1:
            return OK
        if vec_fill(&v.tuple, (count >> 1) * 3, 0) < 0:
            return NO_MEMORY
        members = v.tuple.data + 1
        count >>= 1
        for i in range(count):
            members[3 * i] = parts[2 * i + 1]
            members[3 * i + 1] = <uint32_t>i
            members[3 * i + 2] = parts[2 * i]
        qsort(members, count, 3 * sizeof(uint32_t), by_key)
        kept = 0
        for i in range(count):
            # of a repeated key the last value counts; it comes first here, because parts are in reverse order
            if i == 0 or members[3 * i] != members[2 * kept - 2]:
                members[2 * kept] = members[3 * i]
                members[2 * kept + 1] = members[3 * i + 2]
                kept += 1
        v.tuple.len = 2 * kept + 1
    return NO_MEMORY if intern_add(&v.tuples, v.tuple.data, v.tuple.len, value) < 0 else OK


cdef int read_beginning(Values* v, const uint8_t* text, size_t count, size_t* begun) noexcept nogil:
    """Write to `bytes` what the beginning of a string spells, and to `begun` how many bytes this is. Returns 1, 0 as values_alike
    does, or a status."""
    cdef uint8_t* out
    v.bytes.len = 0
    if vec_reserve(&v.bytes, (count + NUMBER_ROOM) >> 2) < 0:
        return NO_MEMORY
    out = <uint8_t*>v.bytes.data
    if read_string(text + 1, text + count, &out) < text + count:
        return 0
    begun[0] = out - <uint8_t*>v.bytes.data
    # (after a surrogate at the end, the text may go on with the other half of the pair, and both are one character)
    return not (begun[0] >= 3 and (out - 3)[0] == 0xED and (out - 2)[0] >= 0xA0)


cdef inline bint begins_alike(const Values* v, uint32_t value, size_t begun) noexcept nogil:
    """Whether a string begins with the first `begun` bytes of `bytes`."""
    cdef const uint32_t* words = intern_get(&v.tuples, value)
    return words[1] >= begun and memcmp(words + 2, v.bytes.data, begun) == 0


cdef int values_begins(Values* v, const uint8_t* text, size_t count) noexcept nogil:
    cdef size_t i
    cdef int status = read_beginning(v, text, count, &v.begun)
    if status <= 0 or v.begun < LONG_STRING:
        return min(status, 0)
    v.candidates.len = 0
    for i in range(v.strings.len):
        if begins_alike(v, v.strings.data[i], v.begun) and vec_push(&v.candidates, v.strings.data[i]) < 0:
            return NO_MEMORY
    return 1


cdef int values_alike(Values* v, const uint8_t* text, size_t count, Vec* found, size_t* begun) noexcept nogil:
    cdef uint32_t value
    cdef int status = read_beginning(v, text, count, begun)
    for value in range(intern_count(&v.tuples) if status > 0 else 0):
        if intern_get(&v.tuples, value)[0] == K_STRING and begins_alike(v, value, begun[0]) and vec_push(found, value) < 0:
            return NO_MEMORY
    return status


cdef int values_is_beginning(Values* v, const uint8_t* text, size_t count) noexcept nogil:
    cdef size_t begun
    return read_beginning(v, text, count, &begun)


cdef const uint8_t* values_string(const Values* v, uint32_t value, size_t* count) noexcept nogil:
    cdef const uint32_t* words = intern_get(&v.tuples, value)
    count[0] = words[1]
    return <const uint8_t*>(words + 2)


cdef uint32_t values_ends(const Values* v, const uint8_t* text, size_t count) noexcept nogil:
    cdef const uint32_t* words
    cdef size_t i
    for i in range(v.candidates.len):
        words = intern_get(&v.tuples, v.candidates.data[i])
        if words[1] == v.begun + count and memcmp(<const uint8_t*>(words + 2) + v.begun, text, count) == 0:
            return v.candidates.data[i]
    return FRESH
