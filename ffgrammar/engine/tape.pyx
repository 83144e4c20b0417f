"""Virtual rows, the containers that are open on them, and the checks."""

from libc.stdint cimport uint8_t, uint32_t

from ffgrammar.core.intern cimport intern_count, intern_truncate
from ffgrammar.core.status cimport LIMIT_CACHE, NO_MEMORY, OK
from ffgrammar.core.vec cimport vec_fill, vec_free, vec_init, vec_push, vec_reserve
from ffgrammar.engine.values cimport (
    BLANK, MALFORMED, values_bytes, values_clear, values_free, values_init, values_read,
)

cdef enum:
    NOWHERE = 0xFFFFFFFF
    # the list of a container whose items nobody asks about
    NO_LIST = 0xFFFFFFFF
    EMPTY_LIST = 0

    ROW_WORDS = 4

    # words of a frame
    F_AROUND = 0
    F_ITEM
    F_LIST
    F_KIND
    FRAME_WORDS

    # kinds of frames: an object is one before a key, and another after it
    ARRAY = 0
    KEY_NEXT
    VALUE_NEXT

    # words of a list
    L_BEFORE = 0
    L_VALUE
    L_REPEATED
    LIST_WORDS


cdef int tape_init(Tape* t) noexcept nogil:
    t.asked = False
    t.max_words = <size_t>-1
    vec_init(&t.rows)
    vec_init(&t.frames)
    vec_init(&t.lists)
    vec_init(&t.text)
    if values_init(&t.values) < 0:
        return NO_MEMORY
    return vec_fill(&t.lists, LIST_WORDS, 0)


cdef void tape_free(Tape* t) noexcept nogil:
    values_free(&t.values)
    vec_free(&t.rows)
    vec_free(&t.frames)
    vec_free(&t.lists)
    vec_free(&t.text)


cdef int tape_clear(Tape* t) noexcept nogil:
    vec_free(&t.rows)
    vec_free(&t.frames)
    t.lists.len = LIST_WORDS
    return values_clear(&t.values)


cdef size_t tape_bytes(const Tape* t) noexcept nogil:
    return values_bytes(&t.values) + (t.rows.cap + t.frames.cap + t.lists.cap + t.text.cap) * sizeof(uint32_t)


cdef TapeMark tape_mark(const Tape* t) noexcept nogil:
    cdef TapeMark mark
    mark.rows = t.rows.len
    mark.frames = t.frames.len
    mark.lists = t.lists.len
    mark.values = intern_count(&t.values.tuples)
    return mark


cdef void tape_release(Tape* t, const TapeMark* mark) noexcept nogil:
    t.rows.len = mark.rows
    t.frames.len = mark.frames
    t.lists.len = mark.lists
    if intern_count(&t.values.tuples) > mark.values:
        intern_truncate(&t.values.tuples, <uint32_t>mark.values)


cdef int add_row(Tape* t, uint32_t row, uint32_t frame, uint32_t before, uint32_t byte, uint32_t* virtual) noexcept nogil:
    cdef VirtualRow* made
    if t.rows.len + t.frames.len + t.lists.len + t.values.tuples.words.len > t.max_words:
        return LIMIT_CACHE
    if vec_reserve(&t.rows, t.rows.len + ROW_WORDS) < 0:
        return NO_MEMORY
    virtual[0] = <uint32_t>VIRTUAL | <uint32_t>(t.rows.len // ROW_WORDS)
    made = <VirtualRow*>(t.rows.data + t.rows.len)
    made.row = row
    made.frame = frame
    made.before = before
    made.byte = byte
    t.rows.len += ROW_WORDS
    return OK


cdef int add_frame(Tape* t, uint32_t around, uint32_t items, uint32_t kind, uint32_t* frame) noexcept nogil:
    """An open container; its next item or key follows the virtual row that is made next."""
    frame[0] = <uint32_t>(t.frames.len // FRAME_WORDS)
    if vec_push(&t.frames, around) < 0 or vec_push(&t.frames, <uint32_t>VIRTUAL | <uint32_t>(t.rows.len // ROW_WORDS)) < 0:
        return NO_MEMORY
    if vec_push(&t.frames, items) < 0:
        return NO_MEMORY
    return vec_push(&t.frames, kind)


cdef int tape_begin(Tape* t, uint32_t row, uint32_t byte, uint32_t* virtual) noexcept nogil:
    cdef uint32_t frame
    if add_frame(t, NOWHERE, EMPTY_LIST, KEY_NEXT if byte == c'{' else ARRAY, &frame) < 0:
        return NO_MEMORY
    return add_row(t, row, frame, NOWHERE, byte, virtual)


cdef int tape_append(Tape* t, uint32_t virtual, uint32_t byte, uint32_t* longer) noexcept nogil:
    cdef const VirtualRow* row = tape_row(t, virtual)
    return add_row(t, row.row, row.frame, virtual, byte, longer)


cdef int last_item(Tape* t, uint32_t virtual, bint inside, uint32_t frame, uint32_t* value) noexcept nogil:
    """The value of the item that ends at a virtual row, or, if `inside`, one byte before it."""
    cdef uint32_t start = t.frames.data[frame * FRAME_WORDS + F_ITEM]
    cdef const VirtualRow* row
    cdef uint8_t* text
    cdef uint8_t* other
    cdef uint8_t byte
    cdef size_t count = 0
    if inside:
        virtual = tape_row(t, virtual).before
    while virtual != start and virtual != <uint32_t>NOWHERE:
        if count >> 2 >= t.text.cap and vec_reserve(&t.text, t.text.cap + 1) < 0:
            return NO_MEMORY
        row = tape_row(t, virtual)
        (<uint8_t*>t.text.data)[count] = row.byte
        count += 1
        virtual = row.before
    text = <uint8_t*>t.text.data
    other = text + count
    while text < other:
        # it was read backwards
        other -= 1
        byte = text[0]
        text[0] = other[0]
        other[0] = byte
        text += 1
    return values_read(&t.values, <uint8_t*>t.text.data, count, value)


cdef bint has(const Tape* t, uint32_t items, uint32_t value) noexcept nogil:
    while items != EMPTY_LIST:
        if t.lists.data[items * LIST_WORDS + L_VALUE] == value:
            return True
        items = t.lists.data[items * LIST_WORDS + L_BEFORE]
    return False


cdef int tape_holds(Tape* t, uint32_t virtual, bint inside, uint32_t checks) noexcept nogil:
    cdef uint32_t frame = tape_row(t, virtual).frame
    cdef uint32_t items = t.frames.data[frame * FRAME_WORDS + F_LIST]
    cdef uint32_t known, value
    cdef bint repeated
    cdef int status
    t.asked = True
    if items == <uint32_t>NO_LIST:
        return 0
    repeated = t.lists.data[items * LIST_WORDS + L_REPEATED]
    if not repeated:
        known = intern_count(&t.values.tuples)
        status = last_item(t, virtual, inside, frame, &value)
        if status < 0:
            return status
        if intern_count(&t.values.tuples) > known:
            intern_truncate(&t.values.tuples, known)
        if value == <uint32_t>MALFORMED:
            return 0
        # a value that was new is on no list
        repeated = value < known and has(t, items, value)
    return checks & (CHECK_REPEATED if repeated else CHECK_UNIQUE)


cdef int last_key(Tape* t, uint32_t virtual, uint32_t* value) noexcept nogil:
    """The key that ends at a virtual row, or with a colon there."""
    cdef const VirtualRow* row = tape_row(t, virtual)
    return last_item(t, virtual, row.byte == c':', row.frame, value)


cdef int tape_is_new_key(Tape* t, uint32_t virtual) noexcept nogil:
    cdef uint32_t items = t.frames.data[tape_row(t, virtual).frame * FRAME_WORDS + F_LIST]
    cdef uint32_t known = intern_count(&t.values.tuples)
    cdef uint32_t value
    cdef int status
    t.asked = True
    if items == <uint32_t>NO_LIST:
        return 0
    status = last_key(t, virtual, &value)
    if status < 0:
        return status
    if intern_count(&t.values.tuples) > known:
        intern_truncate(&t.values.tuples, known)
    return value >= known or not has(t, items, value)


cdef int add_item(Tape* t, uint32_t virtual, uint32_t frame, bint is_key, uint32_t* items) noexcept nogil:
    """The list with the item that a comma ends at a virtual row, or with the key that ends there."""
    cdef uint32_t before = t.frames.data[frame * FRAME_WORDS + F_LIST]
    cdef uint32_t known = intern_count(&t.values.tuples)
    cdef uint32_t value
    cdef bint repeated
    cdef int status = last_key(t, virtual, &value) if is_key else last_item(t, virtual, True, frame, &value)
    if status < 0:
        return status
    if value == <uint32_t>BLANK or value == <uint32_t>MALFORMED:
        items[0] = NO_LIST
        return OK
    repeated = t.lists.data[before * LIST_WORDS + L_REPEATED] or (value < known and has(t, before, value))
    items[0] = <uint32_t>(t.lists.len // LIST_WORDS)
    if vec_push(&t.lists, before) < 0 or vec_push(&t.lists, value) < 0:
        return NO_MEMORY
    return vec_push(&t.lists, repeated)


cdef int tape_leave(Tape* t, uint32_t virtual, uint32_t row, bint opens, uint32_t* target) noexcept nogil:
    cdef VirtualRow last = tape_row(t, virtual)[0]
    cdef uint32_t frame = last.frame
    cdef uint32_t around = t.frames.data[frame * FRAME_WORDS + F_AROUND]
    cdef uint32_t items = t.frames.data[frame * FRAME_WORDS + F_LIST]
    cdef uint32_t kind = t.frames.data[frame * FRAME_WORDS + F_KIND]
    cdef int status = OK
    if last.byte == c'[' or last.byte == c'{':
        kind = KEY_NEXT if last.byte == c'{' else ARRAY
        status = add_frame(t, frame, EMPTY_LIST if opens else NO_LIST, kind, &frame)
    elif last.byte == c']' or last.byte == c'}':
        if around == <uint32_t>NOWHERE:
            target[0] = row
            return OK
        frame = around
    elif items == <uint32_t>NO_LIST:
        pass
    elif kind == KEY_NEXT:
        if last.byte == c'"' or last.byte == c':':
            status = add_item(t, virtual, frame, True, &items)
            if status >= 0:
                status = add_frame(t, around, items, VALUE_NEXT, &frame)
    elif last.byte == c',':
        if kind == ARRAY:
            status = add_item(t, virtual, frame, False, &items)
        if status >= 0:
            status = add_frame(t, around, items, KEY_NEXT if kind == VALUE_NEXT else ARRAY, &frame)
    if status < 0:
        return status
    return add_row(t, row, frame, last.before, last.byte, target)
