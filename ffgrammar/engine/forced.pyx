"""Forced bytes, and the tokens among them that no continuation can tokenize in another way.

Forced tokens: tokenize the forced bytes together with the text before them, then drop what a token that the grammar allows
could span beyond the end (the method of llguidance's fast-forward tokens). Every start of such a token is looked at, back
to the length of the longest token.
"""

from libc.stdint cimport uint8_t, uint32_t

from ffgrammar.engine.engine cimport Engine
from ffgrammar.engine.machine cimport Config, machine_accepting
from ffgrammar.engine.viability cimport next_bytes, step
from ffgrammar.tokens.trie cimport MAX_TOKEN_BYTES, TrieNode, node_byte, node_depth, node_size, node_token

from ffgrammar.core.errors import LimitError

cdef extern from *:
    int lowest_bit "__builtin_ctz"(unsigned int) nogil

# How much of the text is tokenized again to find where its last token ends. More is read when that does not settle it.
cdef Py_ssize_t RECENT = 128


cdef bytes forced_bytes(Engine engine, Config* config):
    cdef uint32_t bits[8]
    cdef uint32_t i
    cdef int status
    cdef bytearray found = bytearray()
    while True:
        # where the text may end, a sentence goes on with nothing
        if engine.checked(machine_accepting(&engine.machine, config)):
            break
        if engine.checked(next_bytes(&engine.viability, &engine.machine, config, bits)) != 1:
            break
        for i in range(8):
            if bits[i]:
                break
        i = i << 5 | <uint32_t>lowest_bit(bits[i])
        if len(found) >= engine.limits.forced_bytes:
            raise LimitError("forced_bytes", engine.limits.forced_bytes, "the grammar forces a longer text")
        engine.checked(step(&engine.viability, &engine.machine, config, i))
        found.append(i)
    return bytes(found)


cdef int spans(Engine engine, const Config* end, uint32_t above) except -1:
    """Whether a token strictly below a trie node may come, when the node's own bytes lead to `end`."""
    cdef Config configs[MAX_TOKEN_BYTES + 1]
    cdef const TrieNode* node
    cdef uint32_t stop = above + node_size(&engine.trie.nodes[above])
    cdef uint32_t at = above + 1
    cdef int status
    configs[node_depth(&engine.trie.nodes[above])] = end[0]
    while at < stop:
        node = &engine.trie.nodes[at]
        configs[node_depth(node)] = configs[node_depth(node) - 1]
        status = engine.checked(step(&engine.viability, &engine.machine, &configs[node_depth(node)], node_byte(node)))
        if status and node_token(node) != engine.trie.pad_token:
            return 1
        at += 1 if status else node_size(node)
    return 0


cdef Py_ssize_t undecided_from(Engine engine, const Config* end, bytes forced) except -1:
    """The first place in `forced` where a token can start that reaches beyond its end; its length if there is none."""
    cdef const uint8_t* data = forced
    cdef Py_ssize_t size = len(forced)
    cdef Py_ssize_t start
    cdef long long node
    for start in range(max(0, size - <Py_ssize_t>engine.trie.max_depth), size):
        node = engine.trie.find_node(data + start, size - start)
        if node > 0 and spans(engine, end, <uint32_t>node):
            return start
    return size


cdef list after_text(object tokenizer, bytes text, bytes forced):
    """The tokens of `forced` after `text`; empty when a token would lie across the two."""
    cdef Py_ssize_t size, at
    for size in (RECENT, len(text)):
        recent = text[-size:] if size else b""
        while recent and recent[0] & 0xC0 == 0x80 and len(recent) < len(text):
            size += 1
            recent = text[-size:]
        tokens = tokenizer.encode(recent + forced)
        at = 0
        for count, token in enumerate(tokens):
            if at == len(recent):
                # A window may start inside a piece; four whole tokens later that has no effect any more.
                if len(recent) == len(text) or tokens[max(0, count - 4):count] == tokenizer.encode(recent)[-4:]:
                    return tokens[count:]
                break
            at += len(tokenizer.token_bytes(token))
        if len(recent) == len(text):
            break
    return []


cdef Py_ssize_t whole_characters(bytes data):
    """Length of `data` without a character that is cut off at its end."""
    cdef Py_ssize_t back
    for back in range(1, min(4, len(data)) + 1):
        byte = data[len(data) - back]
        if byte & 0xC0 == 0x80:
            continue
        width = 1 if byte < 0x80 else 2 if byte < 0xE0 else 3 if byte < 0xF0 else 4
        return len(data) - back if width > back else len(data)
    return len(data)


cdef list forced_tokens(Engine engine, const Config* config, bytes text, bytes forced):
    cdef Config end
    cdef Py_ssize_t cut
    cdef Py_ssize_t at = 0
    if not forced:
        return []
    end = config[0]
    for byte in forced:
        engine.checked(step(&engine.viability, &engine.machine, &end, byte))
    cut = min(undecided_from(engine, &end, forced), whole_characters(forced))
    try:
        (text + forced[:whole_characters(forced)]).decode("utf-8")
    except UnicodeDecodeError:
        # how a tokenizer of text cuts what is not text is not settled before more is known
        return []
    # Pre-tokenizers look past spaces and line ends: these are settled by what follows them.
    if not engine.checked(machine_accepting(&engine.machine, &end)):
        cut = min(cut, len(forced.rstrip()))
    tokens = after_text(engine.tokenizer, text, forced[:whole_characters(forced)])
    for count, token in enumerate(tokens):
        at += len(engine.tokenizer.token_bytes(token))
        if at > cut:
            return tokens[:count]
    return tokens
