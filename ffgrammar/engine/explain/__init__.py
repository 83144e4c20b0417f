"""Explanations: what is open, what is read and what may follow at a place in a text, and why a byte is refused there.

Nothing is tracked while a matcher moves. An explanation reads the text once more, and asks the recognizer.

In reading order:

- explanation: what users get, and how it reads as text.
- place: the recognizer's view of a place: lexemes that are being read, lexemes that are expected, the next bytes.
- lexeme_text: lexemes and what is left of them as text.
- limit_place: where a matcher is when it reaches a limit.
- explainer: puts an explanation together.
"""
