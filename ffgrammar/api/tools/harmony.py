"""The format of gpt-oss: an answer is several messages, each in a channel.

    <|channel|>analysis<|message|>It asks for the weather.<|end|><|start|>assistant
    <|channel|>commentary to=functions.get_weather <|constrain|>json<|message|>{"city":"Oslo"}<|call|>

(without the line break). A call, or a message in the channel `final`, is the last one. Reasoning is in the channel
`analysis`; remarks before a call are in `commentary`.

Source: the harmony response format in OpenAI's cookbook, and openai/gpt-oss-120b's chat template. The recipient of a
call stands in either of two places there.
"""

from __future__ import annotations

from ffgrammar.api.parts import Composable, Part, capture, choice_of, optional, repeat, sequence, text
from ffgrammar.api.tools.arguments import Context, compiled_arguments
from ffgrammar.api.tools.choice import Choice
from ffgrammar.api.tools.format import Mark
from ffgrammar.api.tools.marks import Marks
from ffgrammar.api.tools.names import choice_of_names
from ffgrammar.core.errors import UnsupportedError

__all__ = ["MODELS", "NAME", "SOURCE", "harmony_answer"]

NAME = "gpt-oss"
MODELS = "gpt-oss"
SOURCE = "OpenAI's harmony response format; chat template of openai/gpt-oss-120b"

CHANNEL, MESSAGE = Mark("<|channel|>", True), Mark("<|message|>", True)
START, END = Mark("<|start|>", True), Mark("<|end|>", True)
CALL, RETURN, CONSTRAIN = Mark("<|call|>", True), Mark("<|return|>", True), Mark("<|constrain|>", True)


def harmony_answer(choice: Choice, context: Context) -> Part:
    """The answers of gpt-oss. Raises as `answer` in answer.py."""
    marks = context.marks
    analysis = _message("analysis", "reasoning", END, marks)
    # (where the content has a format, there are no remarks beside it)
    remarks = [] if context.content is not None else [_message("commentary", "content", END, marks)]
    next_message = marks.sequence((START, "assistant"))
    before = repeat(sequence(choice_of(analysis, *remarks), next_message))
    ways: list[Composable] = []
    if not choice.required:
        ways.append(_final(context))
    if choice.tools:
        ways.append(_call(choice, context))
    return sequence(before, choice_of(*ways))


def _final(context: Context) -> Part:
    """The last message to the user."""
    if context.content is None:
        return _message("final", "content", RETURN, context.marks)
    marks = context.marks
    end = [] if marks.ends_text(RETURN) else marks.pieces((RETURN,))
    constrained = optional(marks.sequence((" ", CONSTRAIN, "json")))
    head = [*marks.pieces((CHANNEL, "final")), constrained, *marks.pieces((MESSAGE,))]
    return sequence(*head, capture("content", context.content), *end)


def _message(channel: str, name: str, end: Mark, marks: Marks) -> Part:
    """A message in a channel. A mark that ends texts of the tokenizer does not belong to the text."""
    head = marks.pieces((CHANNEL, channel, MESSAGE))
    if marks.ends_text(end):
        return sequence(*head, capture(name, text(excluding=end.text)))
    return sequence(*head, marks.text_before(end, name))


def _call(choice: Choice, context: Context) -> Part:
    """A call of one tool. Its name stands in front of the channel, or behind it."""
    marks = context.marks
    in_front: list[tuple[bytes, Composable]] = []
    behind: list[tuple[bytes, Composable]] = []
    for tool in choice.tools:
        if not all(char.isalnum() or char in "_-." for char in tool.name):
            raise UnsupportedError(
                f"the format {NAME!r} writes names as they are: a name has letters, digits, '_', '-' and '.' only; "
                "rename the tool, or choose a format with names in JSON, such as 'hermes'",
                pointer=tool.name_pointer,
            )
        grammar = compiled_arguments(tool, context)
        name = tool.name.encode()
        arguments = [_content_type(marks), *marks.pieces((MESSAGE,)), capture(f"call:{tool.name}", grammar)]
        in_front.append((name, sequence(*marks.pieces((CHANNEL, "commentary")), *arguments)))
        behind.append((name, sequence(*arguments)))
    calls = choice_of(
        sequence(" to=functions.", choice_of_names(in_front)),
        sequence(*marks.pieces((CHANNEL, "commentary to=functions.")), choice_of_names(behind)),
    )
    return sequence(calls, *([] if marks.ends_text(CALL) else marks.pieces((CALL,))))


def _content_type(marks: Marks) -> Part:
    """What says that the arguments are JSON. It may be missing, and the special token in it, too."""
    constrained = marks.sequence((CONSTRAIN, "json"))
    return optional(choice_of(constrained, sequence(" ", choice_of(constrained, "json"))))
