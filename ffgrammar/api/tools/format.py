"""What a format of tool calls consists of. json_formats.py and argument_formats.py describe formats in these words.

An answer is one of

    content
    [content] begin call (between call)* end

and a call is `before`, the name of the tool, `middle`, its arguments, `after`.
"""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["COMPACT", "INDEX", "SPACED", "Format", "Mark", "Maybe", "Parameters", "Pattern", "Piece", "first_char"]

# The layouts of json.dumps, with its default separators and with the shortest ones.
SPACED = (", ", ": ")
COMPACT = (",", ":")


@dataclass(frozen=True)
class Mark:
    """A text that is a token of its own in most tokenizers: a special token where the tokenizer has it as one.

    Attributes:
        text: the name of the token.
        token: whether the tokenizer must have this token, because the models of this family write nothing else.
    """

    text: str
    token: bool = False


@dataclass(frozen=True)
class Pattern:
    """A text that a regex matches."""

    regex: str


@dataclass(frozen=True)
class Maybe:
    """Pieces that may be left out. If one of them is a mark that the tokenizer lacks, they are left out."""

    pieces: tuple[Piece, ...]


Piece = str | Mark | Pattern | Maybe

# The number of a call.
INDEX = Pattern("0|[1-9][0-9]{0,5}")


@dataclass(frozen=True)
class Parameters:
    """How arguments are written one by one.

    Attributes:
        before: what stands before the key.
        middle: what stands between the key and its value; the first of it ends the key.
        stop: the tag that ends a string without quotes. It cannot contain it. None: all values are JSON, and keys and
            the tool are names as in Python.
        lead, trail: what stands before and after `stop`.
        other_middle: what stands between the key and a value that is no string; None: the same. If it differs, a
            reader sees what is a string, and a value may be a string or something else.
        other_stop: whether `stop`, with what stands around it, also ends values that are no strings.
        between: what stands between two arguments.
    """

    before: tuple[Piece, ...]
    middle: tuple[Piece, ...]
    stop: Mark | None
    lead: str = ""
    trail: str = ""
    other_middle: tuple[Piece, ...] | None = None
    other_stop: bool = True
    between: str = ""


@dataclass(frozen=True)
class Format:
    """How models of a family write tool calls.

    Attributes:
        name: its name, as `compile_tools` takes it.
        models: models that write it, for the table in the documentation.
        source: where that is described.
        before, middle, after: what stands before the name, between the name and the arguments, and after the
            arguments. `before` may end, and `middle` may begin, with text that belongs to the name.
        quoted: whether the name is written inside a JSON string.
        begin, between, end: what stands before the first call, between two calls, and after the last one.
        parameters: how arguments are written that are no JSON; None: they are a JSON object.
        separators: the layout of JSON.
        bare: no mark tells a call from content: what begins with this text is a call.
        single: models of this family write one call at most.
        content: the marks around content; None: there are none.
    """

    name: str
    models: str
    source: str
    before: tuple[Piece, ...]
    middle: tuple[Piece, ...]
    after: tuple[Piece, ...] = ()
    quoted: bool = True
    begin: tuple[Piece, ...] = ()
    between: tuple[Piece, ...] = ()
    end: tuple[Piece, ...] = ()
    parameters: Parameters | None = None
    separators: tuple[str, str] = SPACED
    bare: str = ""
    single: bool = False
    content: tuple[Mark, Mark] | None = None


def first_char(pieces: tuple[Piece, ...]) -> str:
    """The character with which pieces begin. If the first ones may be left out, they begin as what follows them."""
    first = pieces[0]
    if isinstance(first, Maybe):
        return first_char(first.pieces)
    assert isinstance(first, (str, Mark))
    return (first if isinstance(first, str) else first.text)[0]
