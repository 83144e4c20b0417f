r"""Pre-tokenizers: where a text is cut before its bytes are merged. Tokens never cross a cut.

In reading order:

    builtin       the pre-tokenizers of the embedded encodings, written by hand, and the classes of all characters
    pack_classes  the command that writes the table of classes
    pattern       reads a pre-tokenizer's pattern, as `\s+(?!\S)|\p{L}+`, into a small program
    alphabet      classes of characters that patterns do not tell apart
    automaton     turns programs into an automaton that also says what a text that may go on leaves open
    table         that automaton as a table, at work on bytes
"""
