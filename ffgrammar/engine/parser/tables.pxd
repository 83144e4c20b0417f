"""The productions of a grammar as flat arrays, as the parser reads them.

A dot position is an index into `symbols`. The symbol there is what follows the dot, and the next position is that of the dot
moved over this symbol. So a production and its dot together are one number, and moving the dot is one addition.

A parametric nonterminal is a family of nonterminals, one for each parameter. A parameter is two counters and a set of bits. An
instance is one nonterminal of the family. Its number is above those of the plain nonterminals. The instance of parameter zero
gets its number with the grammar, any other instance when a text first needs it. Every instance gets its productions, which are
made from templates, when it is first predicted (instances.pxd).
"""

from libc.stdint cimport uint32_t

from ffgrammar.core.intern cimport Intern
from ffgrammar.core.owner cimport Owner
from ffgrammar.core.vec cimport Vec

cdef enum:
    # a symbol is a lexeme number, or a nonterminal number with this bit
    NONTERMINAL = 0x40000000
    # after the last symbol of a production: its nonterminal with this bit
    END = 0x80000000
    NUMBER = 0x3FFFFFFF

    # "none" in a template; in `starts`: the instance has not been predicted yet
    NONE = 0xFFFFFFFF

cdef enum:
    # Words of a template; its right-hand side follows. From the parameter of an instance, T_BIT and T_ADD make a new parameter.
    T_AGAIN       # NONE, or the parametric nonterminal whose instance with the new parameter ends the production
    T_CHANGE      # the nonterminal that stands for this instance until it is joined (joined.pxd), or NONE
    T_BIT         # the bit that must be unset, and is set in the new parameter; or NONE
    T_NEED        # offset in `templates` of the bits that must be set, or NONE
    T_SETS        # offset in `templates` of further bits that are set in the new parameter, or NONE
    T_SETTLED     # offset in `templates` of the bits that must be settled (ir.Template), or NONE
    T_GUARDS      # offset in `templates` of the guards of the last lexeme of the right-hand side, or NONE
    T_DISTANCE    # how many words there are of these bits, and how many words above them those are that settle them
    T_LOWEST      # the lower bounds of the two counters
    T_HIGHEST = T_LOWEST + 2  # their upper bounds; each may be NONE
    T_ADD = T_HIGHEST + 2  # whether each of the two counters goes up
    T_LENGTH = T_ADD + 2   # of the right-hand side, without T_AGAIN
    T_BODY

cdef enum:
    # words of a guard (ir.Guard); their number comes before the guards of a template
    G_BIT
    G_INSIDE
    G_LEXEME
    G_WORDS

cdef enum:
    # words of an entry of `guarded`
    D_POSITION
    D_INSTANCE
    D_TEMPLATE   # its offset
    D_WORDS

cdef enum:
    # words of an instance; the bits follow
    I_HEAD                 # its parametric nonterminal
    I_COUNT                # two counters
    I_BITS = I_COUNT + 2

cdef struct Rules:
    Owner owner
    Vec symbols    # per dot position: the symbol that follows, or END | nonterminal
    Vec bodies     # first positions of the productions, by nonterminal
    Vec starts     # per nonterminal: where its bodies begin, or NONE
    Vec ends       # per nonterminal: where its bodies end
    Vec nullable   # per nonterminal: whether it derives the empty text
    Vec templates        # one after another, words as above
    Vec template_list    # offsets in `templates`, by parametric nonterminal
    Vec template_starts  # per nonterminal below `plain`, and one more: where its templates begin in template_list
    Vec changes          # per nonterminal below `plain`: the offset of the template whose T_CHANGE it is, or NONE; may be empty
    Vec beside           # per lexeme: the lexeme without which it is not read (ir.Template.beside), or NONE. Empty: there is none
    Vec guarded          # the dot positions before lexemes with guards, ascending, with what the guards are taken from
    Vec tails            # per instance: the dot position of its tail (joined.pyx), or NONE. Later instances have none yet
    Vec instance         # scratch: the words of the instance that is looked for
    uint32_t caps[2]     # where the counters stop
    Intern instances     # words as above; instance i is nonterminal plain + i
    uint32_t plain       # how many nonterminals there are without the instances; parametric nonterminals count
    uint32_t kept_symbols, kept_bodies, kept_instances  # how many entries were made with the grammar; texts add the others
    Vec exprs      # per lexeme: its expression, without the empty text
    Vec skips      # the lexemes allowed everywhere, sorted
    Vec is_skip    # per lexeme: whether it is a skip
    Vec skip_bits  # per nonterminal: the skips that may stand inside its productions (bit i: skips[i]). Empty: all, everywhere
    uint32_t first_word  # lexemes from this number on only keep others from ending inside a word (`ir.GrammarIR.words`)
    Vec separates  # per lexeme: whether any number of it may stand after each lexeme of its group
    Vec delimited  # per group of lexemes: whether longest match loses no text in it; empty if nothing is known of the groups
    Vec next_first         # per group: 8 words, `ir.LexemeGroup.next_first` as a set (core/bits.pxd)
    Vec previous_going_on  # likewise
    Vec check      # per lexeme: the kind of its check as a bit (engine/values/trace.pxd), or 0
    Vec opens      # per lexeme: the bracket or brace by which it opens a checked container, or 0
    Vec closes     # per lexeme: the closing bracket or brace that it is, or 0
    bint has_checks
    Vec token_classes  # special tokens as lexemes: classes, one after another (token_class); empty if no lexeme is one
    uint32_t start


cdef struct TokenClass:
    # Special tokens that are the same to the parser: each of them is all of these lexemes.
    const uint32_t* lexemes  # sorted
    uint32_t lexeme_count
    const uint32_t* tokens
    uint32_t token_count


cdef inline uint32_t token_class(const Rules* rules, uint32_t at, TokenClass* found) noexcept nogil:
    """Write the class that begins at an offset in `token_classes`. Returns the offset of the next one."""
    cdef const uint32_t* words = rules.token_classes.data + at
    found.lexeme_count = words[0]
    found.lexemes = words + 1
    found.token_count = words[1 + words[0]]
    found.tokens = words + 2 + words[0]
    return at + 2 + found.lexeme_count + found.token_count


cdef inline bint find_class(const Rules* rules, uint32_t token, TokenClass* found) noexcept nogil:
    """Write the class of a special token. Returns whether it has one."""
    cdef uint32_t at = 0
    cdef uint32_t i
    while at < rules.token_classes.len:
        at = token_class(rules, at, found)
        for i in range(found.token_count):
            if found.tokens[i] == token:
                return True
    return False
