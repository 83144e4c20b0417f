"""Captures: where in a text rules of a grammar, parts of a composition, or values of a JSON text begin and end.

Nothing is tracked while a matcher moves. When captures are asked for, the text is parsed by a parser of its own, which
keeps what it found for the next question. So rollback, forks and dropped caches cannot make an answer wrong.

In reading order:

    capture     what users get: captures and events
    text        what two readings of a text have in common
    spans       a span of the text with the spans inside it
    lexemes     the recognizer run over a text: where lexemes end
    chart       Earley's algorithm over these lexemes, with positions in the text
    preferred   of all parses the one that counts, and the spans of its rules
    rules       the spans of rules, kept from one question to the next
    leaf_engines  the engines of a composition's leaves
    leaf_run    a grammar that is a leaf, and reads a text from one place on
    part_runs   the same for other leaves
    part_chart  Earley's algorithm over the parts of a composition
    part_reading  of all readings the one that counts, and its captures
    parts       the named parts of a composition, kept from one question to the next
    pointers    the values of a JSON text by their JSON pointers
    events      what has changed between two answers
    reader      answers a matcher's questions: names, captures, events
"""
