"""A member `.*the.*` asks for three characters, one after the other. Two such words do not overlap if no character of one can be a
character of the other. Of a word that may overlap others, each character counts that can be none of these. Of few words it is also
looked at how far one may overlap the next.

Characters are told apart by their first bytes.
"""

from libc.stdint cimport uint32_t, uint64_t
from libc.string cimport memset

from ffgrammar.core.bits cimport bit_set
from ffgrammar.regex.expr.inclusion cimport part_within, prefix_length
from ffgrammar.regex.expr.nodes cimport (
    K_CAT, K_LIT, K_OR, K_REP, K_SET, Nodes, is_star, node, node_kind, node_len, nullable,
)

cdef enum:
    # Of a longer word the first characters are looked at.
    MAX_WORD = 16
    # The overlaps of more words are not looked at.
    MAX_WORDS = 16


cdef struct Word:
    # The characters that a member asks for, one after the other: the first bytes of each, as a set.
    uint32_t firsts[8 * MAX_WORD]
    uint32_t length

cdef struct Words:
    # Words none of which can be a part of another one.
    Word each[MAX_WORDS]
    uint32_t count


cdef inline bint share(const uint32_t* a, const uint32_t* b) noexcept nogil:
    """Whether two sets of bytes have one in common."""
    cdef uint32_t common = 0
    cdef uint32_t i
    for i in range(8):
        common |= a[i] & b[i]
    return common != 0


cdef inline void join(uint32_t* all, const uint32_t* own) noexcept nogil:
    cdef uint32_t i
    for i in range(8):
        all[i] |= own[i]


cdef bint add_firsts(const Nodes* n, uint32_t e, uint32_t* bits) noexcept nogil:
    """Add the first bytes of what `e` matches to a set. Returns False if they are hard to see."""
    cdef const uint32_t* words = node(n, e)
    cdef uint32_t i
    if words[0] == K_CAT:
        return not nullable(n, words[1]) and add_firsts(n, words[1], bits)
    if words[0] == K_OR:
        for i in range(1, node_len(n, e)):
            if not add_firsts(n, words[i], bits):
                return False
        return True
    if words[0] == K_LIT:
        bit_set(bits, n.text[words[1]])
    elif words[0] == K_SET:
        join(bits, words + 1)
    else:
        return False
    return True


cdef bint is_code(const Nodes* n, uint32_t e) noexcept nogil:
    cdef const uint32_t* words = node(n, e)
    cdef uint32_t seen[8]
    cdef uint32_t own[8]
    cdef uint32_t i
    while words[0] == K_CAT:
        if not is_code(n, words[1]):
            return False
        e = words[2]
        words = node(n, e)
    if words[0] != K_OR:
        return words[0] == K_SET or words[0] == K_LIT
    memset(seen, 0, sizeof(seen))
    for i in range(1, node_len(n, e)):
        memset(own, 0, sizeof(own))
        if not add_firsts(n, words[i], own) or share(seen, own) or not is_code(n, words[i]):
            return False
        join(seen, own)
    return True


cdef uint32_t widest_unit(Nodes* n, uint32_t e, uint32_t unit) noexcept nogil:
    """The unit of a loop with which a member begins, if all texts of `unit` and of the other loops' units are among its texts."""
    cdef uint32_t i, head
    for i in range(1, node_len(n, e)):
        head = node(n, e)[i]
        if node_kind(n, head) == K_CAT:
            head = node(n, head)[1]
        if node_kind(n, head) == K_REP and is_star(n, head) and part_within(n, unit, node(n, head)[1]):
            unit = node(n, head)[1]
    return unit


cdef void find_word(Nodes* n, uint32_t e, uint32_t unit, Word* word) noexcept nogil:
    """What a member asks for behind a loop over `unit`, or at the start of the text."""
    cdef const uint32_t* words
    cdef uint32_t part
    cdef uint32_t* firsts
    word.length = 0
    if node_kind(n, e) == K_CAT and is_star(n, node(n, e)[1]):
        words = node(n, node(n, e)[1])
        if words[0] != K_REP or not part_within(n, words[1], unit):
            return
        e = node(n, e)[2]
    while word.length < MAX_WORD:
        part = node(n, e)[1] if node_kind(n, e) == K_CAT else e
        firsts = word.firsts + 8 * word.length
        memset(firsts, 0, 8 * sizeof(uint32_t))
        if part_within(n, part, unit):
            if not add_firsts(n, part, firsts):
                return
            word.length += 1
        elif not add_literal(n, part, unit, word):
            return
        if part == e:
            return
        e = node(n, e)[2]


cdef bint add_literal(const Nodes* n, uint32_t e, uint32_t unit, Word* word) noexcept nogil:
    """Add the characters of a literal to a word, if each is one byte. Returns False if there are others."""
    cdef const uint32_t* words = node(n, e)
    cdef uint32_t* firsts
    cdef uint32_t i
    if words[0] != K_LIT:
        return False
    for i in range(words[2]):
        if word.length == MAX_WORD or prefix_length(n, unit, n.text + words[1] + i, 1) != 1:
            return False
        firsts = word.firsts + 8 * word.length
        memset(firsts, 0, 8 * sizeof(uint32_t))
        bit_set(firsts, n.text[words[1] + i])
        word.length += 1
    return True


cdef uint64_t count_word(const Word* word, uint32_t* seen, bint whole) noexcept nogil:
    """How many characters of a word count: if the word must count as a whole, all of them or none, else each that was not seen yet.
    What counts is seen from then on."""
    cdef uint64_t counted = 0
    cdef uint32_t i
    if whole:
        for i in range(word.length):
            if share(word.firsts + 8 * i, seen):
                return 0
        counted = word.length
    for i in range(word.length):
        if not whole and not share(word.firsts + 8 * i, seen):
            counted += 1
        elif not whole:
            continue
        join(seen, word.firsts + 8 * i)
    return counted


cdef uint64_t count_words(Nodes* n, uint32_t e, uint32_t unit, uint32_t* seen, bint whole) noexcept nogil:
    """How many characters of all words count, as in count_word."""
    cdef Word word
    cdef uint64_t counted = 0
    cdef uint32_t i
    for i in range(1, node_len(n, e)):
        find_word(n, node(n, e)[i], unit, &word)
        counted += count_word(&word, seen, whole)
    return counted


cdef bint fits(const Word* word, const Word* other, uint32_t at) noexcept nogil:
    """Whether a text can have `other` begin `at` characters behind the beginning of a word, as far as both reach."""
    cdef uint32_t i
    for i in range(min(other.length, word.length - at)):
        if not share(word.firsts + 8 * (at + i), other.firsts + 8 * i):
            return False
    return True


cdef bint holds(const Word* word, const Word* other) noexcept nogil:
    """Whether a word can have another one inside."""
    cdef uint32_t at = 0
    while at + other.length <= word.length:
        if fits(word, other, at):
            return True
        at += 1
    return False


cdef void add_word(Words* words, const Word* word) noexcept nogil:
    """Add a word, in place of those that it can have inside, unless it can be inside another one itself."""
    cdef uint32_t kept = 0
    cdef uint32_t i
    if word.length == 0:
        return
    for i in range(words.count):
        if holds(&words.each[i], word):
            return
    for i in range(words.count):
        if not holds(word, &words.each[i]):
            words.each[kept] = words.each[i]
            kept += 1
    words.each[kept] = word[0]
    words.count = kept + 1


cdef uint32_t overlap(const Word* word, const Word* following) noexcept nogil:
    """How many characters at the end of a word can be the first ones of another word, which goes on behind it."""
    cdef uint32_t at = 1
    while at < word.length:
        if at + following.length > word.length and fits(word, following, at):
            return word.length - at
        at += 1
    return 0


cdef uint32_t price(const uint32_t* overlaps, const uint32_t* columns, uint32_t count) noexcept nogil:
    """What an order of words saves at most. An order takes at most one overlap of each row and of each column of a table. A column
    pays for an overlap up to the column's number. The row pays the rest, which is at most the greatest rest in the row."""
    cdef uint32_t total = 0
    cdef uint32_t i, j, row
    for i in range(count):
        total += columns[i]
        row = 0
        for j in range(count):
            if overlaps[i * count + j] > columns[j]:
                row = max(row, overlaps[i * count + j] - columns[j])
        total += row
    return total


cdef uint32_t most_saved(const Words* words) noexcept nogil:
    """A bound of all overlaps together: a dual of the assignment problem (Kuhn 1955), which is looked for column by column."""
    cdef uint32_t overlaps[MAX_WORDS * MAX_WORDS]
    cdef uint32_t columns[MAX_WORDS]
    cdef uint32_t count = words.count
    cdef uint32_t i, j, found, other
    for j in range(count):
        columns[j] = 0
        for i in range(count):
            overlaps[i * count + j] = overlap(&words.each[i], &words.each[j]) if i != j else 0
    found = price(overlaps, columns, count)
    for j in range(count):
        for i in range(count):
            columns[j] = max(columns[j], overlaps[i * count + j])
        other = price(overlaps, columns, count)
        if other < found:
            found = other
        else:
            columns[j] = 0
    return found


cdef bint is_long(Nodes* n, uint32_t e, uint32_t unit, uint64_t most) noexcept nogil:
    """Whether all words together are longer than `most`, however they overlap."""
    cdef Words words
    cdef Word word
    cdef uint64_t total = 0
    cdef uint32_t i
    words.count = 0
    for i in range(1, node_len(n, e)):
        find_word(n, node(n, e)[i], unit, &word)
        add_word(&words, &word)
    for i in range(words.count):
        total += words.each[i].length
    return total > most and total - most_saved(&words) > most


cdef bint is_crowded(Nodes* n, uint32_t e, uint32_t unit, uint64_t most) noexcept nogil:
    cdef uint32_t widest = widest_unit(n, e, unit)
    cdef uint32_t seen[8]
    cdef uint64_t counted
    if not is_code(n, widest):
        return False
    memset(seen, 0, sizeof(seen))
    counted = count_words(n, e, widest, seen, True)
    if counted > most or counted + count_words(n, e, widest, seen, False) > most:
        return True
    return node_len(n, e) <= MAX_WORDS + 1 and is_long(n, e, widest, most)
