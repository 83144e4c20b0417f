r"""Pre-tokenizers: where a text is cut before its bytes are merged. No token reaches across a cut.

In reading order:

    builtin       the pre-tokenizers of the embedded encodings, written by hand, and the classes of all characters
    pack_classes  the command that writes the table of classes
    properties    the characters of those properties that the table of classes does not hold, and capitals
    pack_properties  the command that writes these characters
    program       instructions, and the sets of characters that they ask for
    pattern       turns a pre-tokenizer's pattern, such as `\s+(?!\S)|\p{L}+`, into a small program
    word_nodes    the minimal automaton of a list of words
    words         the program of a list of words, for tokens that are found in a text before anything else
    alphabet      classes of characters that patterns do not tell apart
    split         the steps of a pre-tokenizer
    boundaries    the automaton that they become
    composed      the automaton of several steps
    packed_automata  such automata in one piece, for the cache
    automaton     turns programs into an automaton, which also says what is undecided while a text may go on
    table         the automaton as a table, which works on bytes
"""
