"""Answers in a format: content, calls, or content and then calls."""

from __future__ import annotations

import json
from collections.abc import Sequence

from ffgrammar.api.parts import Composable, Part, capture, choice_of, optional, repeat, sequence, text
from ffgrammar.api.tools.arguments import Context, compiled_arguments, compiled_text, parameters
from ffgrammar.api.tools.choice import Choice
from ffgrammar.api.tools.definitions import Tool
from ffgrammar.api.tools.format import Format, Mark, Maybe, Piece, first_char
from ffgrammar.api.tools.names import choice_of_names, is_python_name
from ffgrammar.core.errors import UnsupportedError
from ffgrammar.grammar.raw_text import RawText

__all__ = ["answer"]

# How many empty lines may stand between the reasoning and a call.
MAX_LINES = 2


def answer(format: Format, choice: Choice, context: Context, has_reasoning: bool) -> Part:
    """The answers in a format.

    Args:
        format: the format.
        choice: which calls there may be.
        context: what parts are made with.
        has_reasoning: whether a block of reasoning stands before the answer.

    Raises:
        GrammarError, UnsupportedError, LimitError: a tool cannot be written in this format, or the tokenizer lacks a
            token of it.
    """
    marks = context.marks
    writer = _Writer(format, choice, context)
    lines = repeat("\n", 0, MAX_LINES) if has_reasoning else sequence()
    if not choice.tools:
        return writer.content(None) if context.content is None else sequence(lines, writer.content(None))
    calls = writer.calls(choice.tools)
    if choice.required:
        return sequence(lines, *writer.opening(), *calls)
    trigger = writer.trigger
    if format.bare and context.content is not None:
        raise UnsupportedError(
            f"in the format {format.name!r} no mark tells a call from JSON content: leave the response format or the "
            "tools out, or require a call"
        )
    if format.bare or format.content or context.content is not None:
        return sequence(lines, choice_of(writer.content(None), sequence(*writer.opening(), *calls)))
    if marks.is_special(trigger):
        return sequence(writer.content(None), optional(sequence(marks.mark(trigger), *calls)))
    return choice_of(writer.content(None), sequence(writer.content(trigger), *calls))


class _Writer:
    """Writes the parts of one grammar.

    Attributes:
        trigger: the mark with which calls begin; empty if the format is bare.
    """

    def __init__(self, format: Format, choice: Choice, context: Context) -> None:
        self._format = format
        self._parallel = choice.parallel and not format.single
        self._context = context
        self._marks = context.marks
        # Everything before the first call; the first piece is what triggers it.
        begin = format.begin + format.before
        self.trigger = begin[0] if isinstance(begin[0], Mark) and not format.bare else Mark("")
        self._begin = begin[1:] if self.trigger.text else begin
        if self.trigger.text:
            context.marks.mark(self.trigger)  # (it may be missing)

    def opening(self) -> list[Composable]:
        """The mark with which calls begin."""
        return [self._marks.mark(self.trigger)] if self.trigger.text else []

    def content(self, trigger: Mark | None) -> Part:
        """Text that is no call. If there is a trigger, the text ends with it."""
        format, required = self._format, self._context.content
        if trigger is not None:
            return capture("content", text(until=trigger.text))
        if required is not None:
            around = [self._marks.mark(one) for one in format.content or ()]
            return sequence(*around[:1], capture("content", required), *around[1:])
        if format.content is not None:
            begin, end = format.content
            return sequence(self._marks.mark(begin), self._marks.text_before(end, "content"))
        if not format.bare:
            return capture("content", text(excluding=self.trigger.text))
        tags = tuple(_marks_of(format.begin + format.before))
        rule = RawText(excluded=tags, not_first=format.bare + " \t\r\n")
        return capture("content", compiled_text(rule, self._context))

    def calls(self, tools: Sequence[Tool]) -> list[Composable]:
        """One call or several, after the trigger."""
        format, pieces = self._format, self._marks.pieces
        one = self._named(tools)
        after = [] if format.parameters else pieces(format.after)
        found: list[Composable] = [*pieces(self._begin), one, *after]
        if self._parallel:
            between = pieces(format.between + format.before)
            found.append(repeat(sequence(*between, one, *after)))
        return [*found, *pieces(format.end)]

    def _named(self, tools: Sequence[Tool]) -> Part:
        """The name of a tool, and its arguments. (With tags, also what ends the call. So no capture is empty.)"""
        format = self._format
        middle = self._marks.pieces(format.middle)
        after = self._marks.pieces(format.after)
        names: list[tuple[bytes, Composable]] = []
        for tool in tools:
            part: Composable
            if format.parameters is None:
                part = compiled_arguments(tool, self._context)
            else:
                part = sequence(parameters(tool, format.parameters, self._context), *after)
            names.append((self._spelled(tool), sequence(*middle, capture(f"call:{tool.name}", part))))
        return choice_of_names(names)

    def _spelled(self, tool: Tool) -> bytes:
        """The name of a tool as the format writes it."""
        if self._format.quoted:
            return json.dumps(tool.name, ensure_ascii=False)[1:-1].encode()
        style = self._format.parameters
        rest = self._format.middle or (style.before if style else ())
        end = first_char(rest)
        if end in tool.name or "\n" in tool.name:
            raise UnsupportedError(
                f"the format {self._format.name!r} writes names as they are, and {end!r} ends them: the name cannot "
                "have it; rename the tool, or choose a format with names in JSON, such as 'hermes'",
                pointer=tool.name_pointer,
            )
        if style is not None and style.stop is None and not all(map(is_python_name, tool.name.split("."))):
            raise UnsupportedError(
                f"the format {self._format.name!r} writes calls as in Python, where {tool.name!r} is no name: "
                "rename the tool, or choose a format with names in JSON, such as 'hermes'",
                pointer=tool.name_pointer,
            )
        return tool.name.encode()


def _marks_of(pieces: tuple[Piece, ...]) -> list[str]:
    """The texts of all marks in some pieces."""
    found = []
    for piece in pieces:
        if isinstance(piece, Maybe):
            found += _marks_of(piece.pieces)
        elif isinstance(piece, Mark):
            found.append(piece.text)
    return found
