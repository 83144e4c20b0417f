"""Chats: turns of a system, a user and an assistant, laid out as the model was trained on.

    program = user("What is 2 + 2?") + assistant(gen("answer", regex="[0-9]+"))

The model's own chat template lays out a chat: a function from messages to text. It is asked about a chat whose contents
are marks. What stands around the marks in its answer is the layout, and contents take their places. So a content never
goes through the template: it is text, whatever it looks like. Names of special tokens in the layout are the special
tokens; in a content they are ordinary text.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from ffgrammar.api.parts import special_token
from ffgrammar.core.errors import GrammarError, UnsupportedError
from ffgrammar.lm.checked_model import ChatTemplate, CheckedModel
from ffgrammar.lm.program import Addend, Piece, Program, Turn
from ffgrammar.tokens.tokenizer import Tokenizer

__all__ = ["assistant", "laid_out", "system", "user"]

# A content that no template has for another purpose, and that trimming and escaping leave as it is.
MARK = "ffgrammar{}mark"


def system(content: Addend) -> Program:
    """A turn in which the model is told how to behave. Raises as `user` does."""
    return _turn("system", content)


def user(content: Addend) -> Program:
    """A turn of the user.

    Args:
        content: a text or a program without turns.

    Raises:
        GrammarError: there is a turn in the content.
        TypeError: the content is of another type.
    """
    return _turn("user", content)


def assistant(content: Addend) -> Program:
    """A turn of the model. What closes the turn is known to a hole at its end. Raises as `user` does."""
    return _turn("assistant", content)


def _turn(role: str, content: Addend) -> Program:
    inner = Program.of(content)
    if any(isinstance(one, Turn) for one in inner.pieces):
        raise GrammarError(f"{role}: there is a turn in this turn")
    return Program((Turn(role, True), *inner.pieces, Turn(role, False)))


def laid_out(
    model: CheckedModel, before: tuple[str, ...], pieces: Sequence[Piece]
) -> tuple[tuple[Piece, ...], tuple[str, ...]]:
    """The pieces of a program, with texts and special tokens in place of turns.

    Args:
        model: the model, which has a chat template if there are turns.
        before: the roles of the turns that were written before.

    Returns:
        The pieces, and the roles of all turns.

    Raises:
        UnsupportedError: there is no chat template, or it does not keep the contents of the turns apart.
        GrammarError: something other than white space stands between two turns.
    """
    roles = before + tuple(one.role for one in pieces if isinstance(one, Turn) and one.opens)
    if roles == before:
        return tuple(pieces), before
    layout = _layout(model.chat_template, roles)
    first = layout[len(before)]
    if before:
        written = _layout(model.chat_template, before)
        if written[:-1] != layout[: len(before)] or not first.startswith(written[-1]):
            raise UnsupportedError("the model's chat template lays out earlier turns anew when further ones follow")
        first = first[len(written[-1]) :]
    made: list[Program] = []
    number = len(before)
    inside = False
    for one in pieces:
        if isinstance(one, Turn):
            inside = one.opens
            if number == len(before) and one.opens:
                made.append(_with_tokens(model.tokenizer, first))
            elif not one.opens:
                number += 1
                made.append(_with_tokens(model.tokenizer, layout[number]))
        elif inside:
            made.append(Program((one,)))
        elif isinstance(one, str) and not one.strip():
            continue  # (a template has line ends between turns)
        elif number == len(before) == 0:
            made.append(Program((one,)))
        else:
            raise GrammarError("something stands outside of the turns of a chat: put it into a turn")
    return Program.joined(made).pieces, roles


def _with_tokens(tok: Tokenizer, text: str) -> Program:
    """A text in which the names of special tokens are these tokens."""
    made = Program(())
    for before, token in tok.special_names.split(text):
        made += str(before)
        if token is not None:
            made += special_token(token)
    return made


def _layout(template: ChatTemplate | None, roles: Sequence[str]) -> list[str]:
    """What stands before the content of each turn, and after the last one."""
    if template is None:
        raise UnsupportedError("the model has no chat template; Model.of takes one (chat_template=)")
    messages = [{"role": role, "content": MARK.format(number)} for number, role in enumerate(roles)]
    try:
        text = template(messages)
    except Exception as error:
        raise UnsupportedError(f"the model's chat template refuses these turns: {error}") from error
    if not isinstance(text, str):
        raise UnsupportedError(f"the model's chat template returns no text, but a {type(text).__name__}")
    parts = re.split(MARK.format("([0-9]+)"), text)
    if parts[1::2] != [str(number) for number in range(len(roles))]:
        raise UnsupportedError("the model's chat template changes, drops or repeats the contents of turns")
    return parts[::2]
