"""A bitmask applied to a model's scores, in place.

The scores of tokens that may not come become -inf. Only these are written, so the cost is that of the memory they take: a word of
all ones is skipped, and a word of all zeros is filled without a look at its bits. -inf is a bit pattern that depends on the type of
the scores alone, so the kernel knows only how wide a score is. numpy's arrays come in by the buffer protocol, and torch's tensors
on the CPU by their address, which needs no import of torch.
"""

from libc.stddef cimport size_t
from libc.stdint cimport uint16_t, uint32_t, uint64_t, uintptr_t

from cpython.buffer cimport (
    PyBUF_FORMAT, PyBUF_STRIDES, PyBUF_WRITABLE, PyBuffer_Release, PyObject_CheckBuffer, PyObject_GetBuffer,
)
from ffgrammar.core.bits cimport lowest_bit
from ffgrammar.core.index cimport clipped
from ffgrammar.engine.matcher.bitmask cimport BitmaskRows, rows_close, rows_open_to_read

from ffgrammar.core.errors import MatcherError
from ffgrammar.core.whole_imports import import_whole

ctypedef fused Score:
    uint16_t
    uint32_t
    uint64_t

cdef enum:
    ACCESS = PyBUF_WRITABLE | PyBUF_STRIDES | PyBUF_FORMAT

# A word that allows all its tokens.
cdef uint32_t ALL = 0xFFFFFFFF

# The types of scores: how many bytes a score has, and the bits of -inf.
MINUS_INFINITY = {
    "float16": (2, 0xFC00),
    "bfloat16": (2, 0xFF80),
    "float32": (4, 0xFF800000),
    "float64": (8, 0xFFF0000000000000),
}
# The same types by the buffer protocol's letters.
LETTERS = {"e": "float16", "f": "float32", "d": "float64"}


cdef struct Scores:
    char* start         # the first score of row 0
    size_t rows
    size_t width        # how many scores a row has
    Py_ssize_t stride   # how many bytes lie between the starts of two rows
    size_t item         # how many bytes a score has
    uint64_t infinity   # the bits of -inf
    bint is_buffer      # whether they came by the buffer protocol
    Py_buffer view


cdef int scores_open(object logits, Scores* scores) except -1:
    """Open scores for writing. The caller closes them with scores_close. Raises MatcherError if they have another shape, type or
    layout."""
    cdef list shape, strides
    scores.is_buffer = False
    if hasattr(logits, "data_ptr"):
        shape, strides, kind = tensor_layout(logits, scores)
    else:
        shape, strides, kind = buffer_layout(logits, scores)
    try:
        place_rows(scores, shape, strides, kind)
    except MatcherError:
        scores_close(scores)
        raise
    return 0


cdef void scores_close(Scores* scores) noexcept:
    if scores.is_buffer:
        PyBuffer_Release(&scores.view)


cdef tuple tensor_layout(object logits, Scores* scores):
    """Returns the shape, the strides in bytes and the type's name of a torch tensor on the CPU."""
    if str(logits.layout) != "torch.strided" or logits.is_neg():
        raise MatcherError("logits must be a plain tensor: neither sparse nor a lazily negated view")
    if logits.requires_grad:
        raise MatcherError("logits take part in a gradient, so they cannot be written in place: give logits.detach()")
    scores.start = <char*><uintptr_t>logits.data_ptr()
    item = logits.element_size()
    return list(logits.shape), [item * stride for stride in logits.stride()], str(logits.dtype).removeprefix("torch.")


cdef tuple buffer_layout(object logits, Scores* scores):
    """Returns the shape, the strides in bytes and the type's name of an array that has the buffer protocol."""
    cdef Py_buffer* view = &scores.view
    if not PyObject_CheckBuffer(logits):
        raise MatcherError(f"logits must be a numpy array or a torch tensor, not {type(logits).__name__}")
    kind = None
    try:
        try:
            PyObject_GetBuffer(logits, view, ACCESS)
        except ValueError:
            # The buffer protocol has no letter for the type that the package ml_dtypes adds to numpy.
            if str(getattr(logits, "dtype", "")) != "bfloat16":
                raise
            PyObject_GetBuffer(logits.view("uint16"), view, ACCESS)
            kind = "bfloat16"
    except (BufferError, TypeError, ValueError) as error:
        raise MatcherError(f"logits must be a writable array: {error}") from None
    scores.is_buffer = True
    scores.start = <char*>view.buf
    if kind is None:
        letter = (<bytes>view.format).decode()
        kind = LETTERS.get(letter, f"of the type {letter!r}")
    return [view.shape[i] for i in range(view.ndim)], [view.strides[i] for i in range(view.ndim)], kind


cdef int place_rows(Scores* scores, list shape, list strides, str kind) except -1:
    if kind not in MINUS_INFINITY:
        raise MatcherError(f"logits must be float32, float16, bfloat16 or float64, not {kind}")
    scores.item, scores.infinity = MINUS_INFINITY[kind]
    if len(shape) == 1:
        shape, strides = [1, *shape], [0, *strides]
    if len(shape) != 2:
        raise MatcherError(f"logits must have the shape [batch, vocabulary] or [vocabulary], not {shape}")
    scores.rows, scores.width = shape
    scores.stride = strides[0]
    if scores.width > 1 and strides[1] != <Py_ssize_t>scores.item:
        raise MatcherError("the scores of a row must lie side by side: the last axis of logits is strided")
    if <uintptr_t>scores.start % scores.item or scores.stride % <Py_ssize_t>scores.item:
        raise MatcherError("logits are not aligned in memory")
    if scores.rows > 1 and abs(scores.stride) < <Py_ssize_t>(scores.width * scores.item):
        raise MatcherError("the rows of logits overlap in memory")
    return 0


cdef inline void fill(Score* scores, size_t count, Score infinity) noexcept nogil:
    cdef size_t i
    for i in range(count):
        scores[i] = infinity


cdef inline void apply_word(Score* scores, uint32_t word, const Score* lanes, Score infinity) noexcept nogil:
    """Write to the scores of the 32 tokens of a word that is neither all ones nor all zeros. `lanes` are 1, 2, 4, ..., 128. (No
    step depends on a bit, so the compiler makes vectors of it.)"""
    cdef int byte, i
    cdef Score bits, keep
    for byte in range(4):
        bits = <Score>(word >> (8 * byte) & 0xFF)
        for i in range(8):
            keep = <Score>0 - <Score>((bits & lanes[i]) != 0)
            scores[i] = (scores[i] & keep) | (infinity & ~keep)
        scores += 8


cdef void apply_row(Score* scores, size_t width, const uint32_t* words, size_t count, Score infinity) noexcept nogil:
    """Write one row of scores. Tokens beyond the bitmask may not come."""
    cdef Score[8] lanes
    cdef size_t whole = min(count, width >> 5)
    cdef size_t i = 0
    cdef size_t run
    cdef uint32_t bits
    for run in range(8):
        lanes[run] = <Score>1 << run
    while i < whole:
        if words[i] == 0:
            run = i + 1
            while run < whole and words[run] == 0:
                run += 1
            fill(scores + (i << 5), (run - i) << 5, infinity)
            i = run
            continue
        if words[i] != ALL:
            apply_word(scores + (i << 5), words[i], lanes, infinity)
        i += 1
    i = whole << 5
    if whole < count and i < width:
        bits = ~words[whole]
        while i < width:
            if bits & 1:
                scores[i] = infinity
            bits >>= 1
            i += 1
    fill(scores + i, width - i, infinity)


cdef void apply_to(Scores* scores, size_t row, const uint32_t* words, size_t count) noexcept nogil:
    cdef char* start = scores.start + <Py_ssize_t>row * scores.stride
    if scores.item == 2:
        apply_row(<uint16_t*>start, scores.width, words, count, <uint16_t>scores.infinity)
    elif scores.item == 4:
        apply_row(<uint32_t*>start, scores.width, words, count, <uint32_t>scores.infinity)
    else:
        apply_row(<uint64_t*>start, scores.width, words, count, scores.infinity)


cdef size_t count_equal(const uint32_t* words, size_t count, uint32_t word) noexcept nogil:
    """How many of the first words are equal to `word`, before the first that is not."""
    cdef size_t i = 0
    while i < count and words[i] == word:
        i += 1
    return i


cdef Py_ssize_t lost_token(const uint32_t* words, size_t count, size_t width) noexcept nogil:
    """The first token at or after `width` that a row allows; -1 if there is none, or if the row allows everything."""
    cdef size_t i = width >> 5
    cdef uint32_t bits
    while i < count:
        bits = words[i]
        if i == width >> 5:
            bits &= ~<uint32_t>0 << (width & 31)
        if bits:
            return -1 if count_equal(words, count, ALL) == count else <Py_ssize_t>(i << 5 | lowest_bit(bits))
        i += 1
    return -1


cdef list chosen_rows(object indices, size_t rows, size_t mask_rows):
    """The rows to write. Raises MatcherError if one is not there."""
    if indices is None:
        if rows != mask_rows:
            raise MatcherError(f"logits have {rows} rows, bitmask has {mask_rows}")
        return list(range(<Py_ssize_t>rows))
    found = []
    for index in indices:
        if isinstance(index, bool):
            raise TypeError("apply_bitmask: indices are numbers of rows, not bools")
        found.append(clipped(index))
    for index in found:
        if not 0 <= index < <Py_ssize_t>min(rows, mask_rows):
            raise MatcherError(f"index {index} is not in 0..{<Py_ssize_t>min(rows, mask_rows) - 1}")
    return found


cdef int check_width(BitmaskRows* masks, list chosen, size_t width) except -1:
    """Raises MatcherError if a row allows a token that has no score."""
    cdef Py_ssize_t row, lost
    for row in chosen:
        lost = lost_token(masks.words + row * masks.count, masks.count, width)
        if lost >= 0:
            raise MatcherError(f"row {row}: the bitmask allows token {lost}, and logits have {width} columns")
    return 0


def apply_bitmask(logits, bitmask, indices=None) -> None:
    """Set the scores of all tokens that may not come to -inf, in place.

    A row of `bitmask` that is all zeros leaves its row of `logits` as it is. Such is the mask of a text that has ended (or that
    has met a dead end), so no token of this row is of use, and `accept_token` refuses it. A row of -inf alone would make a sampler
    fail for the whole batch. In all other rows, columns beyond the bitmask become -inf: these are the padding of a model's
    vocabulary.

    Args:
        logits: float32, float16, bfloat16 or float64, [batch, columns], or [columns] for one row; a numpy array (bfloat16 is the
            package ml_dtypes') or a torch tensor. Rows may lie apart; the scores of a row lie side by side.
        bitmask: int32 [batch, words], C-contiguous, numpy or torch (CPU). Row i is for row i of `logits`.
        indices: the rows to write, of both arrays; all rows if not given. Other rows are left as they are.

    Raises:
        MatcherError: an array has another shape, type or layout; the arrays have different numbers of rows, and no `indices` are
            given; there is no row of an index; or a row allows a token that has no column. (A row that is all ones allows
            everything, and loses nothing.) Nothing was written then.
        TypeError: an index is no integer. Nothing was written then.
    """
    cdef BitmaskRows masks
    cdef Scores scores
    cdef Py_ssize_t row
    cdef const uint32_t* words
    if hasattr(logits, "data_ptr") and str(logits.device) != "cpu":
        apply_on_device = import_whole("ffgrammar.engine.matcher.device_logits").apply_on_device
        rows_open_to_read(bitmask, &masks)
        try:
            if logits.dim() not in (1, 2):
                raise MatcherError(f"logits must have the shape [batch, vocabulary] or [vocabulary], not {list(logits.shape)}")
            chosen = chosen_rows(indices, logits.shape[0] if logits.dim() == 2 else 1, masks.batch)
            check_width(&masks, chosen, logits.shape[-1])
        finally:
            rows_close(&masks)
        apply_on_device(logits, bitmask, chosen)
        return
    rows_open_to_read(bitmask, &masks)
    try:
        scores_open(logits, &scores)
        try:
            chosen = chosen_rows(indices, scores.rows, masks.batch)
            check_width(&masks, chosen, scores.width)
            for row in chosen:
                words = masks.words + row * masks.count
                with nogil:
                    if count_equal(words, masks.count, 0) < masks.count:
                        apply_to(&scores, row, words, masks.count)
        finally:
            scores_close(&scores)
    finally:
        rows_close(&masks)
