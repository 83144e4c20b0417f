"""A prompt's last tokens are the tokenizer's own only if the text ends with the prompt. `"name":` ends in the token `":`, but
if a string follows, the tokenizer makes the token `":"`. So a prompt is cut back (token healing, done exactly). It keeps the
tokens that are the same whatever sentence of the grammar follows. The bytes after them are pending (pending_prompt.pxd).
"""

from libc.stdint cimport uint32_t

from ffgrammar.engine.canonical.forced cimport count_tokens, forced_run
from ffgrammar.engine.canonical.pending_prefix cimport PendingPrefix
from ffgrammar.engine.canonical.policy cimport CanonicalPolicy
from ffgrammar.engine.engine cimport Engine
from ffgrammar.engine.matcher.pending_prompt cimport PendingPrompt
from ffgrammar.engine.position.cursor cimport Cursor
from ffgrammar.engine.recognizer.recognizer cimport Config
from ffgrammar.tokens.canonical.sequence cimport CanonicalSequence

from ffgrammar.core.errors import TokenizerError
from ffgrammar.tokens.canonical.coverings import coverings_after, settled_tokens, shared_tokens


cdef class PromptCut:
    """The two parts of a prompt.

    Args:
        policy: the matcher's policy, whose token history begins after the tokens that stay.
    """

    def __cinit__(self, CanonicalPolicy policy not None):
        self.policy = policy
        self.tokens = ()
        self.rest = b""

    cdef int begin_after(self, list tokens) except -1:
        self.policy.tokens.begin_after(tokens)
        self.tokens = (*self.tokens, *tokens)
        return 0

    cdef int keep(self, tokens) except -1:
        cdef list kept = []
        cdef Py_ssize_t size
        cdef Py_ssize_t end = 0
        for token in tokens:
            size = len(self.policy.engine.trie.token_bytes(token))
            if size > len(self.rest) - end:
                break
            end += size
            kept.append(token)
        self.begin_after(kept)
        self.rest = self.rest[end:]
        return 0

    cdef int cut_rest(self, Cursor* cursor) except -1:
        cdef CanonicalSequence sequence
        if self.rest:
            sequence = CanonicalSequence(self.policy.rules)
            sequence.at = self.policy.tokens.start
            self.keep(shared_tokens(coverings_after(sequence, self.rest)))
        if self.rest:
            self.keep(forced_inside(self.policy, cursor, PendingPrompt(self.rest)))
        return 0


cdef list forced_inside(CanonicalPolicy policy, Cursor* cursor, PendingPrompt prompt):
    """Those tokens at the start of the pending bytes that are the same whatever sentence of the grammar follows. The last of
    these tokens may reach beyond the pending bytes."""
    cdef Config config
    cdef uint32_t token = 0
    cdef PendingPrefix pending = prompt.prefix()
    policy.engine.acquire()
    try:
        policy.engine.checked(policy.enter(cursor, pending, &config))
        if count_tokens(policy.engine, policy.lookahead, &config, &policy.tokens.start, &token) == 0:
            raise TokenizerError("prompt: no sentence of the grammar goes on where it ends")
        return forced_run(policy.engine, policy.lookahead, &config, &policy.tokens.start, True)
    finally:
        policy.engine.release()


cdef list token_ids(Engine engine, object prompt):
    """The ids of a prompt, checked."""
    cdef list found = []
    try:
        for token in prompt:
            engine.trie.token_bytes(token)
            found.append(int(token))
    except TypeError:
        raise TokenizerError(f"prompt: expected str, bytes or token ids, not {type(prompt).__name__}") from None
    return found


cdef bint is_text(bytes data):
    """Whether bytes are UTF-8."""
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


cdef bytes text_after_special(Engine engine, list ids):
    """The text of the tokens after the last special one; None if these tokens are not the tokenizer's own, or if the text is not
    UTF-8."""
    cdef object tokenizer = engine.tokenizer
    start = len(ids)
    while start and engine.trie.token_bytes(ids[start - 1]):
        start -= 1
    data = tokenizer.decode(ids[start:])
    return data if tokenizer.encode(data) == ids[start:] and is_text(data) else None


cdef PromptCut cut_prompt(CanonicalPolicy policy, Cursor* cursor, object prompt):
    cdef PromptCut cut = PromptCut(policy)
    cdef bytes data
    cdef list ids
    if isinstance(prompt, str):
        data = prompt.encode("utf-8", "surrogatepass")
    elif isinstance(prompt, (bytes, bytearray, memoryview)):
        data = bytes(prompt)
    else:
        ids = token_ids(policy.engine, prompt)
        data = text_after_special(policy.engine, ids)
        if data is None:
            # tokens that are not canonical cannot be cut back
            cut.begin_after(ids)
            return cut
        cut.begin_after(ids[:len(ids) - len(policy.engine.tokenizer.encode(data))])
    settled, size = settled_tokens(policy.rules, data)
    cut.begin_after(settled)
    cut.rest = data[size:]
    cut.cut_rest(cursor)
    return cut
