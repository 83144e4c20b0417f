"""Encodes by the longest match: at each place the longest token is taken, and nothing is merged. RWKV's tokenizer does this.

    LongestMatch(trie).encode(b"Hello world")      # ids

Each byte of a text takes a few steps in the trie: about 50 ns.
"""

from libc.stdint cimport uint8_t, uint32_t

from ffgrammar.tokens.vocabulary.trie cimport TokenTrie, node_token, trie_child

from ffgrammar.core.errors import TokenizerError


cdef class LongestMatch:
    """The encoder of a vocabulary that is matched greedily.

    Args:
        trie: the vocabulary.

    Raises:
        TokenizerError: a token is too long for the trie.
    """

    cdef TokenTrie trie

    def __cinit__(self, TokenTrie trie not None):
        if trie.long_count:
            raise TokenizerError(f"{trie.long_count} tokens are too long to be found by the longest match")
        self.trie = trie

    def encode(self, data not None):
        """The ids of a text or of any bytes.

        Raises:
            TokenizerError: there is a place where no token begins; the message names it.
        """
        # (parts of surrogate pairs that stand alone become U+FFFD)
        cdef bytes text = data if isinstance(data, bytes) else data.encode("utf-16", "surrogatepass").decode(
            "utf-16", "replace").encode()
        cdef const uint8_t* bytes_of = text
        cdef size_t count = len(text)
        cdef size_t at = 0
        cdef size_t after
        cdef uint32_t token
        cdef list ids = []
        while at < count:
            token = self.longest(bytes_of, at, count, &after)
            if after == at:
                raise TokenizerError(f"no token begins at byte {at} of the text")
            ids.append(token)
            at = after
        return ids

    def pretoken_ends(self, data):
        """None: there are no pre-tokens."""
        return None

    cdef uint32_t longest(self, const uint8_t* text, size_t at, size_t count, size_t* after) noexcept nogil:
        """The longest token at a place. `after` becomes its end, or `at` if there is none."""
        cdef uint32_t node = self.trie.roots[text[at]]
        cdef uint32_t found = 0
        after[0] = at
        while node:
            at += 1
            if node_token(&self.trie.nodes[node]) != self.trie.pad_token:
                found = node_token(&self.trie.nodes[node])
                after[0] = at
            node = trie_child(self.trie.nodes, node, text[at]) if at < count else 0
        return found
