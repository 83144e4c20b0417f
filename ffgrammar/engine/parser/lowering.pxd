"""Lowering: from a grammar (`ir.GrammarIR`) to the parser's tables."""

from ffgrammar.engine.parser.tables cimport Rules


cdef class RuleTables:
    cdef Rules rules

    # The methods below fill `rules`. The constructor calls lower_lexemes and then lower_productions, which calls the others. A
    # method returns 0 unless its comment says otherwise, and raises what the class says (lowering.pyx).

    # Fill the tables that have an entry for each lexeme, and `skips`. Returns a dict: for each lexeme that may be empty and is
    # no skip, the number of the nonterminal that stands for "this lexeme or nothing".
    cdef dict lower_lexemes(self, grammar)

    # Fill `skip_bits` and `first_word`. Returns 0.
    cdef int lower_skips(self, grammar) except -1

    # Fill `token_classes`. Returns 0.
    cdef int lower_tokens(self, grammar) except -1
    cdef int lower_groups(self, grammar) except -1

    # Fill all other tables; `optional` is what lower_lexemes has returned.
    cdef int lower_productions(self, grammar, dict optional) except -1

    # Fill the productions of the grammar's own nonterminals. `numbers` has the symbols whose number in the tables is not the
    # usual one (see `lowered`). `alive` says for each nonterminal, and `usable` for each lexeme, whether it derives some text.
    # `empty` says for each nonterminal whether it derives the empty text.
    cdef int lower_plain(self, grammar, dict numbers, bytearray alive, bytearray usable, bytearray empty) except -1

    # Fill the productions of the nonterminals that stand for a lexeme or nothing.
    cdef int lower_optional(self, grammar, dict optional) except -1

    # By the numbers of the templates that lead to joined families: the nonterminals that stand for what they change, numbered from
    # `first` on.
    cdef dict changes(self, grammar, size_t first)

    # Add these nonterminals, which have no productions.
    cdef int lower_changes(self, size_t count) except -1

    # Fill the templates, and make the instances that plain productions name. `templates` has templates, each with its lowered body
    # and the nonterminal for what it changes, or None.
    cdef int lower_templates(self, grammar, list templates) except -1

    # Append one template, whose lowered body is `body`. `words` says how many words the bits of a parametric nonterminal take.
    cdef int lower_template(self, template, list body, change, dict words) except -1

    # Make the instances of parameter zero, and note how long `symbols`, `bodies` and `instances` are now. Texts may add to these.
    cdef int lower_instances(self, grammar, dict words) except -1
