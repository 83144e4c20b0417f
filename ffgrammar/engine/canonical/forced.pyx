"""Forced bytes, and forced tokens.

If the tokenizer's rules are known (tokens/canonical/rules.pyx), a token is forced if the text cannot end before it, and if no
other token may come. A token may come if the tokens so far, this one and perhaps further ones are together what the tokenizer
makes of some sentence (lookahead.pxd). Then the next token is looked for in the same way.

If the rules are not known, an encoder stands in for them. Whatever follows, the tokenizer's own tokens either end where the
forced bytes end, or one of them reaches beyond this end. In the second case the tokens before that one spell a prefix of the
forced bytes. So all forced bytes are encoded, and so is each prefix after which a token may reach beyond the end. The forced
tokens are the first tokens that the results have in common. (llguidance's fast-forward tokens are found otherwise: all forced
bytes are encoded once, and the result is cut where these prefixes end. This fails where a longer text merges differently further
left: "nne" is n, ne, but "nneo" is nn, eo.)
"""

from libc.stdint cimport uint8_t, uint32_t

from ffgrammar.core.bits cimport lowest_bit
from ffgrammar.core.utf8 cimport utf8_continues, utf8_length
from ffgrammar.engine.engine cimport Engine
from ffgrammar.engine.canonical.lookahead cimport Lookahead
from ffgrammar.engine.canonical.pending_prefix cimport PENDING
from ffgrammar.engine.masks.compute cimport Bounds, begin_work, end_work
from ffgrammar.engine.recognizer.recognizer cimport Config
from ffgrammar.engine.values.trace cimport VIRTUAL, Trace, TraceMark, trace_mark, trace_release, trace_row
from ffgrammar.engine.recognizer.completability cimport bytes_may_end, next_bytes, step
from ffgrammar.tokens.canonical.rules cimport UNCONSTRAINED, CanonicalState
from ffgrammar.tokens.vocabulary.trie cimport (
    MAX_TOKEN_BYTES, TrieNode, next_node, node_byte, node_depth, node_token, subtree_end,
)

from ffgrammar.core.errors import LimitError

# How many bytes of the text are tokenized again to find where its last token ends. If RECENT bytes do not show this, MAX_RECENT
# are tried. If these do not show it either, nothing is forced: tokenizing the whole text at every token would cost too much.
cdef Py_ssize_t RECENT = 128
cdef Py_ssize_t MAX_RECENT = 2048

# How many bytes are forced at a time inside a lexeme whose rows are virtual.
cdef uint32_t MAX_INSIDE = 512


cdef inline bint is_inside(const Trace* trace, uint32_t row) noexcept nogil:
    """Whether a row is a virtual one inside a lexeme."""
    return row & VIRTUAL and trace_row(trace, row).start != row


cdef bytes forced_bytes(Engine engine, Config* config):
    cdef uint32_t bits[8]
    cdef uint32_t i
    cdef uint32_t inside = 0
    cdef bytearray found = bytearray()
    while True:
        # Inside a lexeme whose rows are virtual there is a bound: the lexeme is read again wherever it may end, and its bytes may
        # be forced without end: if items are unique multiples of 7, only zeros may come after `[7,7.`.
        inside = inside + 1 if is_inside(&engine.recognizer.trace, config.row) else 0
        if inside > MAX_INSIDE:
            break
        # if the text may end here, or a special token may come, nothing is forced
        if engine.checked(bytes_may_end(&engine.completability, &engine.recognizer, config, NULL)):
            break
        if engine.checked(next_bytes(&engine.completability, &engine.recognizer, config, bits)) != 1:
            break
        for i in range(8):
            if bits[i]:
                break
        i = i << 5 | lowest_bit(bits[i])
        if len(found) >= engine.limits.forced_bytes:
            raise LimitError("forced_bytes", engine.limits.forced_bytes, "the grammar forces a longer text")
        engine.checked(step(&engine.completability, &engine.recognizer, config, i, NULL))
        found.append(i)
    return bytes(found)


cdef int reaches_beyond(Engine engine, const Config* end, uint32_t above) except -1:
    """Whether some token strictly below a trie node may come. The bytes from the root to the node lead to `end`."""
    cdef Config configs[MAX_TOKEN_BYTES + 1]
    cdef const TrieNode* node
    cdef uint32_t stop = subtree_end(engine.trie.nodes, above)
    cdef uint32_t at = above + 1
    cdef int status
    cdef int found = 0
    cdef TraceMark mark = trace_mark(&engine.recognizer.trace)
    configs[node_depth(&engine.trie.nodes[above])] = end[0]
    while at < stop and not found:
        node = &engine.trie.nodes[at]
        configs[node_depth(node)] = configs[node_depth(node) - 1]
        status = engine.checked(
            step(&engine.completability, &engine.recognizer, &configs[node_depth(node)], node_byte(node), NULL))
        found = status and node_token(node) != engine.trie.pad_token
        at = next_node(engine.trie.nodes, at, status)
    trace_release(&engine.recognizer.trace, &mark)
    return found


cdef int count_tokens(
    Engine engine, Lookahead lookahead, const Config* config, const CanonicalState* at, uint32_t* token,
) noexcept nogil:
    cdef Config[MAX_TOKEN_BYTES + 1] configs
    cdef CanonicalState after
    cdef const TrieNode* it
    cdef uint32_t node = 1
    cdef uint32_t depth
    cdef int found = 0
    cdef int fits, status
    cdef TraceMark mark = trace_mark(&engine.recognizer.trace)
    cdef Bounds before = begin_work(&engine.masks, &engine.recognizer, 0)
    configs[0] = config[0]
    while node < engine.trie.node_count and found < 2:
        it = &engine.trie.nodes[node]
        depth = node_depth(it)
        configs[depth] = configs[depth - 1]
        fits = status = lookahead.steps.step(engine, &configs[depth], node_byte(it))
        if status > 0 and node_token(it) != engine.trie.pad_token:
            after = at[0]
            status = lookahead.rules.push(&after, node_token(it))
            if status > 0:
                status = lookahead.has_canonical_completion(engine, &configs[depth], &after)
            if status > 0:
                token[0] = node_token(it)
                found += 1
        if status < 0:
            found = status
            break
        node = next_node(engine.trie.nodes, node, fits)
    end_work(&engine.recognizer, &before)
    trace_release(&engine.recognizer.trace, &mark)
    return found


cdef list forced_run(Engine engine, Lookahead lookahead, const Config* start, const CanonicalState* before, bint prefix_only):
    cdef Config config = start[0]
    cdef CanonicalState at = before[0]
    cdef list found = []
    cdef uint32_t token = 0
    cdef uint32_t i
    cdef size_t size = 0
    cdef int count
    while True:
        if lookahead.rules.is_whole(&at) and engine.checked(lookahead.steps.accepting(engine, &config)):
            break
        count = engine.checked(count_tokens(engine, lookahead, &config, &at, &token))
        if count == 0 and not found and at.last < <uint32_t>UNCONSTRAINED:
            # No sentence goes on after the last token, which came as bytes or in a prompt. Then what follows need not fit it.
            at.last = UNCONSTRAINED
            count = engine.checked(count_tokens(engine, lookahead, &config, &at, &token))
        if count != 1:
            break
        found.append(token)
        engine.checked(lookahead.rules.push(&at, token))
        for i in range(engine.trie.offsets[token], engine.trie.offsets[token + 1]):
            size += config.row != PENDING
            engine.checked(lookahead.steps.step(engine, &config, engine.trie.blob[i]))
        if prefix_only and config.row != PENDING:
            break
        if size > <size_t>engine.limits.forced_bytes:
            raise LimitError("forced_bytes", engine.limits.forced_bytes, "the grammar forces a longer text")
        # the bytes of a lexeme whose rows are virtual may be forced without end
        if size > MAX_INSIDE and is_inside(&engine.recognizer.trace, config.row):
            break
    return found


cdef list boundary_candidates(Engine engine, const Config* end, bytes forced):
    cdef const uint8_t* data = forced
    cdef Py_ssize_t size = len(forced)
    cdef Py_ssize_t start
    cdef long long node
    cdef uint32_t bits[8]
    cdef list candidates = []
    for start in range(max(0, size - <Py_ssize_t>engine.trie.max_depth), size):
        node = engine.trie.find_node(data + start, size - start)
        if node > 0 and reaches_beyond(engine, end, <uint32_t>node):
            candidates.append(start)
    # The white space at the end may be split in another way if something follows.
    start = size_without_spaces(forced)
    if start < size and engine.checked(next_bytes(&engine.completability, &engine.recognizer, end, bits)):
        candidates.append(start)
    return candidates


cdef Py_ssize_t size_without_spaces(bytes data):
    """The length without an incomplete character at the end, and without the white space (as Unicode has it) before that."""
    text = data[:whole_to(data, len(data))].decode("utf-8", "surrogateescape").rstrip()
    return len(text.encode("utf-8", "surrogateescape"))


cdef list after_text(object tokenizer, bytes text, bytes forced):
    """The tokens of `forced` after `text`; none if a token would lie across their border, or if this cannot be found out."""
    cdef Py_ssize_t size, at, count
    for size in (RECENT, MAX_RECENT):
        recent = text[max(0, len(text) - whole_from(text, size)):]
        tokens = tokenizer.encode(recent + forced)
        at = 0
        count = 0
        while at < len(recent) and count < len(tokens):
            at += len(tokenizer.token_bytes(tokens[count]))
            count += 1
        if spells(tokenizer, tokens[:count], recent):
            # `recent` may begin inside a pre-token, and its first tokens may differ from those of the text. So the last four
            # tokens of `recent` in this encoding are compared with the last four when `recent` is encoded alone.
            if len(recent) == len(text) or tokens[max(0, count - 4):count] == tokenizer.encode(recent)[-4:]:
                return tokens[count:]
    return []


cdef bint spells(object tokenizer, list tokens, bytes text):
    """Whether the bytes of tokens are `text`. The tokens of a tokenizer that normalizes may spell another text."""
    return b"".join([tokenizer.token_bytes(token) for token in tokens]) == text


cdef list spelled(object tokenizer, list tokens, bytes text):
    """The first tokens, as far as they spell the beginning of `text`. If a tokenizer normalizes, its tokens spell another text
    from the first change on. If it does not know a character, it may write a token without bytes."""
    cdef Py_ssize_t at = 0
    cdef Py_ssize_t count = 0
    for token in tokens:
        data = tokenizer.token_bytes(token)
        if not data or text[at:at + len(data)] != data:
            break
        at += len(data)
        count += 1
    return tokens[:count]


cdef Py_ssize_t whole_from(bytes text, Py_ssize_t size):
    """How many bytes at the end of a text to take so that they begin with a whole character: the least number that is at least
    `size`, or all bytes."""
    while size < len(text) and utf8_continues(text[len(text) - size]):
        size += 1
    return min(size, len(text))


cdef Py_ssize_t whole_to(bytes data, Py_ssize_t size):
    """How many bytes at the start of a text to take so that they do not end inside a character: the greatest number that is at
    most `size`."""
    cdef Py_ssize_t start = size
    while start > 0 and start > size - 4:
        start -= 1
        byte = data[start]
        if not utf8_continues(byte):
            return start if start + <Py_ssize_t>utf8_length(byte) > size else size
    return size


cdef list tokens_before(object tokenizer, bytes text, bytes forced, Py_ssize_t end):
    """The tokens of the forced bytes before an offset."""
    cdef Py_ssize_t whole = whole_to(forced, end)
    if whole < end:
        # The offset is inside a character. The pre-token there is merged as bytes, so only the pre-tokens before it count.
        ends = tokenizer.pretoken_ends(text + forced[:whole])
        whole = 0 if ends is None or len(ends) < 2 else max(0, ends[len(ends) - 2] - len(text))
    return after_text(tokenizer, text, forced[:whole])


cdef list common_tokens(object tokenizer, bytes text, bytes forced, list candidates):
    cdef Py_ssize_t end, count
    cdef list tokens, other
    try:
        (text + forced[:whole_to(forced, len(forced))]).decode("utf-8")
    except UnicodeDecodeError:
        # the bytes are not UTF-8: how an encoder of text splits them depends on what follows
        return []
    tokens = tokens_before(tokenizer, text, forced, len(forced))
    for end in candidates:
        if not tokens:
            break
        other = tokens_before(tokenizer, text, forced, end)
        count = 0
        while count < len(tokens) and count < len(other) and tokens[count] == other[count]:
            count += 1
        tokens = tokens[:count]
    return spelled(tokenizer, tokens, forced)
