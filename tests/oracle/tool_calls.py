"""Tool calls as the chat templates of model families write them, and plain readers of such answers.

The names of special tokens stand in the texts as they are. Nothing here knows how ffgrammar describes formats.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from typing import Any

Call = tuple[str, Any]
Raw = tuple[str, str]

SPECIAL = {
    "mistral": ("[TOOL_CALLS]",),
    "mistral-v11": ("[TOOL_CALLS]", "[CALL_ID]", "[ARGS]"),
    "deepseek-v3": (
        "<｜tool▁calls▁begin｜>",
        "<｜tool▁calls▁end｜>",
        "<｜tool▁call▁begin｜>",
        "<｜tool▁call▁end｜>",
        "<｜tool▁sep｜>",
    ),
    "kimi-k2": (
        "<|tool_calls_section_begin|>",
        "<|tool_calls_section_end|>",
        "<|tool_call_begin|>",
        "<|tool_call_end|>",
        "<|tool_call_argument_begin|>",
    ),
    "command-r7b": ("<|START_ACTION|>", "<|END_ACTION|>", "<|START_RESPONSE|>", "<|END_RESPONSE|>"),
    "gpt-oss": ("<|channel|>", "<|message|>", "<|start|>", "<|end|>", "<|call|>", "<|return|>", "<|constrain|>"),
    "others": (
        *("<|python_tag|>", "<|tool_call|>", "<tool_call>", "</tool_call>"),
        *("<arg_key>", "</arg_key>", "<arg_value>", "</arg_value>", "<|action_start|>", "<|plugin|>", "<|action_end|>"),
        *("<think>", "</think>", "[THINK]", "[/THINK]"),
        *("<start_function_call>", "<end_function_call>", "<escape>", "<|tool_call>", "<tool_call|>", '<|"|>'),
        *("<|tool_call_start|>", "<|tool_call_end|>"),
    ),
}
ALL_SPECIAL = tuple(name for names in SPECIAL.values() for name in names)


def _dumps(value: Any, compact: bool = False) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":") if compact else (", ", ": "))


def _quoted(name: str) -> str:
    return json.dumps(name, ensure_ascii=False)


def _plain(value: Any) -> str:
    """A value where strings have no quotes."""
    return value if isinstance(value, str) else _dumps(value)


# ---- what templates write


def _json_list(calls: list[Call]) -> str:
    return "[" + ", ".join(f'{{"name": {_quoted(n)}, "arguments": {_dumps(a)}}}' for n, a in calls) + "]"


def _hermes(calls: list[Call]) -> str:
    return "\n".join(f'<tool_call>\n{{"name": {_quoted(n)}, "arguments": {_dumps(a)}}}\n</tool_call>' for n, a in calls)


def _mistral(calls: list[Call]) -> str:
    listed = [f'{{"name": {_quoted(n)}, "arguments": {_dumps(a)}, "id": "abcDEF123"}}' for n, a in calls]
    return "[TOOL_CALLS] [" + ", ".join(listed) + "]"


def _deepseek_v3(calls: list[Call]) -> str:
    listed = [
        f"<｜tool▁call▁begin｜>function<｜tool▁sep｜>{n}\n```json\n{_dumps(a)}\n```<｜tool▁call▁end｜>"
        for n, a in calls
    ]
    return "<｜tool▁calls▁begin｜>" + "\n".join(listed) + "<｜tool▁calls▁end｜>"


def _deepseek_v31(calls: list[Call]) -> str:
    listed = [f"<｜tool▁call▁begin｜>{n}<｜tool▁sep｜>{_dumps(a)}<｜tool▁call▁end｜>" for n, a in calls]
    return "<｜tool▁calls▁begin｜>" + "".join(listed) + "<｜tool▁calls▁end｜>"


def _kimi(calls: list[Call]) -> str:
    listed = [
        f"<|tool_call_begin|>functions.{n}:{number}<|tool_call_argument_begin|>{_dumps(a)}<|tool_call_end|>"
        for number, (n, a) in enumerate(calls)
    ]
    return "<|tool_calls_section_begin|>" + "".join(listed) + "<|tool_calls_section_end|>"


def _command(calls: list[Call]) -> str:
    listed = [
        f'    {{"tool_call_id": "{number}", "tool_name": {_quoted(n)}, "parameters": {_dumps(a)}}}'
        for number, (n, a) in enumerate(calls)
    ]
    return "<|START_ACTION|>[\n" + ",\n".join(listed) + "\n]<|END_ACTION|>"


def _qwen_coder(calls: list[Call]) -> str:
    def one(name: str, arguments: dict[str, Any]) -> str:
        inner = "".join(f"<parameter={k}>\n{_plain(v)}\n</parameter>\n" for k, v in arguments.items())
        return f"<tool_call>\n<function={name}>\n{inner}</function>\n</tool_call>"

    return "\n".join(one(*call) for call in calls)


def _seed(calls: list[Call]) -> str:
    def one(name: str, arguments: dict[str, Any]) -> str:
        inner = "".join(f"<parameter={k}>{_plain(v)}</parameter>\n" for k, v in arguments.items())
        return f"<seed:tool_call>\n<function={name}>\n{inner}</function>\n</seed:tool_call>"

    return "\n".join(one(*call) for call in calls)


def _glm(calls: list[Call], line: str) -> str:
    def one(name: str, arguments: dict[str, Any]) -> str:
        inner = "".join(
            f"<arg_key>{k}</arg_key>{line}<arg_value>{_plain(v)}</arg_value>{line}" for k, v in arguments.items()
        )
        return f"<tool_call>{name}{line}{inner}</tool_call>"

    return line.join(one(*call) for call in calls)


def _minimax(calls: list[Call]) -> str:
    def one(name: str, arguments: dict[str, Any]) -> str:
        inner = "".join(f'<parameter name="{k}">{_plain(v)}</parameter>\n' for k, v in arguments.items())
        return f'<invoke name="{name}">\n{inner}</invoke>\n'

    return "<minimax:tool_call>\n" + "".join(one(*call) for call in calls) + "</minimax:tool_call>"


def _deepseek_v32(calls: list[Call]) -> str:
    def one(name: str, arguments: dict[str, Any]) -> str:
        inner = "".join(
            f'<｜DSML｜parameter name="{k}" string="{"true" if isinstance(v, str) else "false"}">{_plain(v)}'
            "</｜DSML｜parameter>\n"
            for k, v in arguments.items()
        )
        return f'<｜DSML｜invoke name="{name}">\n{inner}</｜DSML｜invoke>\n'

    return "<｜DSML｜function_calls>\n" + "".join(one(*call) for call in calls) + "</｜DSML｜function_calls>"


def _gemma(calls: list[Call], begin: str, end: str, quote: str) -> str:
    def one(name: str, arguments: dict[str, Any]) -> str:
        inner = (
            f"{k}:{quote}{v}{quote}" if isinstance(v, str) else f"{k}:{_dumps(v, compact=True)}"
            for k, v in arguments.items()
        )
        return f"{begin}call:{name}{{{','.join(inner)}}}{end}"

    return "".join(one(*call) for call in calls)


def _pythonic(calls: list[Call]) -> str:
    return "[" + ", ".join(f"{n}({', '.join(f'{k}={_dumps(v)}' for k, v in a.items())})" for n, a in calls) + "]"


def _harmony(calls: list[Call]) -> str:
    ((name, arguments),) = calls
    inner = _dumps(arguments, compact=True)
    return f"<|channel|>commentary to=functions.{name} <|constrain|>json<|message|>{inner}<|call|>"


def _one(before: str, key: str, after: str) -> Callable[[list[Call]], str]:
    def write(calls: list[Call]) -> str:
        ((name, arguments),) = calls
        return f'{before}{{"name": {_quoted(name)}, "{key}": {_dumps(arguments)}}}{after}'

    return write


WRITERS: dict[str, Callable[[list[Call]], str]] = {
    "hermes": _hermes,
    "llama3": _one("", "parameters", ""),
    "mistral": _mistral,
    "mistral-v11": lambda calls: "".join(f"[TOOL_CALLS]{n}[ARGS]{_dumps(a)}" for n, a in calls),
    "deepseek-v3": _deepseek_v3,
    "deepseek-v3.1": _deepseek_v31,
    "kimi-k2": _kimi,
    "granite": lambda calls: "<|tool_call|>" + _json_list(calls),
    "phi4-mini": lambda calls: "functools" + _json_list(calls),
    "command-r7b": _command,
    "hunyuan": lambda calls: f"<tool_calls>{_json_list(calls)}</tool_calls>",
    "nemotron": lambda calls: f"<TOOLCALL>{_json_list(calls)}</TOOLCALL>",
    "internlm2": lambda calls: "".join(
        _one("<|action_start|><|plugin|>\n", "arguments", "<|action_end|>")([call]) for call in calls
    ),
    "json-list": _json_list,
    "qwen3-coder": _qwen_coder,
    "glm-4.5": lambda calls: _glm(calls, "\n"),
    "glm-4.7": lambda calls: _glm(calls, ""),
    "minimax-m2": _minimax,
    "seed-oss": _seed,
    "deepseek-v3.2": _deepseek_v32,
    "functiongemma": lambda calls: _gemma(calls, "<start_function_call>", "<end_function_call>", "<escape>"),
    "gemma4": lambda calls: _gemma(calls, "<|tool_call>", "<tool_call|>", '<|"|>'),
    "pythonic": _pythonic,
    "lfm2": lambda calls: f"<|tool_call_start|>{_pythonic(calls)}<|tool_call_end|>",
    "gpt-oss": _harmony,
}
SINGLE = {"llama3", "gpt-oss"}
TAGS = {"qwen3-coder", "glm-4.5", "glm-4.7", "minimax-m2", "seed-oss"}
# Arguments one by one, where a mark or a quote tells strings from others.
MARKED = {"deepseek-v3.2", "functiongemma", "gemma4", "pythonic", "lfm2"}
COMPACT = {"gpt-oss", "functiongemma", "gemma4"}


def write_content(format: str, text: str) -> str:
    """An answer without calls."""
    if format == "command-r7b":
        return f"<|START_RESPONSE|>{text}<|END_RESPONSE|>"
    if format == "gpt-oss":
        return f"<|channel|>final<|message|>{text}<|return|>"
    return text


# ---- what readers find: calls with their arguments as text, or None

_NAME = r'"((?:[^"\\]|\\.)+)"'
_INDEX = "(?:0|[1-9][0-9]{0,5})"
# By format: what a list of calls begins with, what separates calls, what ends the list; what a call has before its
# arguments and after them.
_READERS: dict[str, tuple[str, str, str, str, str]] = {
    "hermes": ("", "\n", "", rf'<tool_call>\n{{"name": {_NAME}, "arguments": ', r"}\n</tool_call>"),
    "llama3": ("", "", "", rf'(?:<\|python_tag\|>)?{{"name": {_NAME}, "parameters": ', "}"),
    "mistral": (
        r"\[TOOL_CALLS\] ?\[",
        ", ",
        r"\]",
        rf'{{"name": {_NAME}, "arguments": ',
        '(?:, "id": "[A-Za-z0-9]{9}")?}',
    ),
    "mistral-v11": ("", "", "", r"\[TOOL_CALLS\](.+?)(?:\[CALL_ID\][A-Za-z0-9]{9})?\[ARGS\]", ""),
    "deepseek-v3": (
        "<｜tool▁calls▁begin｜>",
        "\n",
        "<｜tool▁calls▁end｜>",
        "<｜tool▁call▁begin｜>function<｜tool▁sep｜>(.+?)\n```json\n",
        "\n```<｜tool▁call▁end｜>",
    ),
    "deepseek-v3.1": (
        "<｜tool▁calls▁begin｜>",
        "",
        "<｜tool▁calls▁end｜>",
        "<｜tool▁call▁begin｜>(.+?)<｜tool▁sep｜>",
        "<｜tool▁call▁end｜>",
    ),
    "kimi-k2": (
        r"<\|tool_calls_section_begin\|>",
        "",
        r"<\|tool_calls_section_end\|>",
        rf"<\|tool_call_begin\|>functions\.(.+?):{_INDEX}<\|tool_call_argument_begin\|>",
        r"<\|tool_call_end\|>",
    ),
    "granite": (r"<\|tool_call\|>\[", ", ", r"\]", rf'{{"name": {_NAME}, "arguments": ', "}"),
    "phi4-mini": (r"functools\[", ", ", r"\]", rf'{{"name": {_NAME}, "arguments": ', "}"),
    "command-r7b": (
        r"<\|START_ACTION\|>\[\n    ",
        ",\n    ",
        r"\n\]<\|END_ACTION\|>",
        rf'{{"tool_call_id": "{_INDEX}", "tool_name": {_NAME}, "parameters": ',
        "}",
    ),
    "hunyuan": (r"<tool_calls>\[", ", ", r"\]</tool_calls>", rf'{{"name": {_NAME}, "arguments": ', "}"),
    "nemotron": (r"<TOOLCALL>\[", ", ", r"\]</TOOLCALL>", rf'{{"name": {_NAME}, "arguments": ', "}"),
    "internlm2": (
        "",
        "",
        "",
        rf'<\|action_start\|><\|plugin\|>\n{{"name": {_NAME}, "(?:arguments|parameters)": ',
        r"}<\|action_end\|>",
    ),
    "json-list": (r"\[", ", ", r"\]", rf'{{"name": {_NAME}, "arguments": ', "}"),
    "qwen3-coder": ("", "\n", "", "<tool_call>\n<function=(.+?)>\n", "</function>\n</tool_call>"),
    "glm-4.5": ("", "\n", "", "<tool_call>(.+?)\n", "</tool_call>"),
    "glm-4.7": ("", "", "", "<tool_call>(.+?)(?=<)", "</tool_call>"),
    "minimax-m2": ("<minimax:tool_call>\n", "", "</minimax:tool_call>", '<invoke name="(.+?)">\n', "</invoke>\n"),
    "seed-oss": ("", "\n", "", "<seed:tool_call>\n<function=(.+?)>\n", "</function>\n</seed:tool_call>"),
    "deepseek-v3.2": (
        "<｜DSML｜function_calls>\n",
        "",
        "</｜DSML｜function_calls>",
        '<｜DSML｜invoke name="(.+?)">\n',
        "</｜DSML｜invoke>\n",
    ),
    "functiongemma": ("", "", "", "<start_function_call>call:(.+?){", "}<end_function_call>"),
    "gemma4": ("", "", "", r"<\|tool_call>call:(.+?){", r"}<tool_call\|>"),
    "pythonic": (r"\[", ", ", r"\]", r"(\w+?)\(", r"\)"),
    "lfm2": (r"<\|tool_call_start\|>\[", ", ", r"\]<\|tool_call_end\|>", r"(\w+?)\(", r"\)"),
    "gpt-oss": (
        "",
        "",
        "",
        r"(?: to=functions\.(.+?)<\|channel\|>commentary|<\|channel\|>commentary to=functions\.(.+?))"
        r"(?:<\|constrain\|>json| <\|constrain\|>json| json)?<\|message\|>",
        r"<\|call\|>",
    ),
}
_PARAMETERS = {
    "qwen3-coder": r"<parameter=([^>]*)>\n((?:(?!</parameter>).)*)\n</parameter>\n",
    "seed-oss": r"<parameter=([^>]*)>((?:(?!</parameter>).)*)</parameter>\n",
    "glm-4.5": r"<arg_key>(.*?)</arg_key>\n<arg_value>((?:(?!</arg_value>).)*)</arg_value>\n",
    "glm-4.7": r"<arg_key>(.*?)</arg_key><arg_value>((?:(?!</arg_value>).)*)</arg_value>",
    "minimax-m2": r'<parameter name="(.*?)">((?:(?!</parameter>).)*)</parameter>\n',
}
# What begins an argument, with its key; what stands around a string that has no quotes (in groups that JSON lacks); and
# what stands between arguments.
_MARKED = {
    "deepseek-v3.2": (
        '<｜DSML｜parameter name="(.*?)" string="(?:true">|false">)',
        '(?<=true">)((?:(?!</｜DSML｜parameter>).)*)</｜DSML｜parameter>\n',
        "</｜DSML｜parameter>\n",
        "",
    ),
    "functiongemma": ("([a-z]+):", "<escape>((?:(?!<escape>).)*)<escape>", "", ","),
    "gemma4": ("([a-z]+):", r'<\|"\|>((?:(?!<\|"\|>).)*)<\|"\|>', "", ","),
    "pythonic": ("([a-z]+)=", "(?!)", "", ", "),
    "lfm2": ("([a-z]+)=", "(?!)", "", ", "),
}
_TRIGGERS = {
    "hermes": "<tool_call>",
    "mistral": "[TOOL_CALLS]",
    "mistral-v11": "[TOOL_CALLS]",
    "deepseek-v3": "<｜tool▁calls▁begin｜>",
    "deepseek-v3.1": "<｜tool▁calls▁begin｜>",
    "kimi-k2": "<|tool_calls_section_begin|>",
    "granite": "<|tool_call|>",
    "phi4-mini": "functools[",
    "hunyuan": "<tool_calls>",
    "nemotron": "<TOOLCALL>",
    "internlm2": "<|action_start|>",
    "qwen3-coder": "<tool_call>",
    "glm-4.5": "<tool_call>",
    "glm-4.7": "<tool_call>",
    "minimax-m2": "<minimax:tool_call>",
    "seed-oss": "<seed:tool_call>",
    "deepseek-v3.2": "<｜DSML｜function_calls>",
    "functiongemma": "<start_function_call>",
    "gemma4": "<|tool_call>",
    "lfm2": "<|tool_call_start|>",
}

Parameters = list[tuple[str, str]]


class Reader:
    """Reads answers in a format.

    Args:
        format: the format.
        accepts: whether the arguments of a tool are valid: its name and their JSON text, or keys and texts.
        special: the marks that are special tokens, of which content has none.
    """

    def __init__(
        self, format: str, accepts: Callable[[str, str | Parameters], bool], special: tuple[str, ...] = ()
    ) -> None:
        self.format = format
        self.accepts = accepts
        self.special = special

    def is_answer(self, text: str, least: int, most: int | None) -> bool:
        """Whether a text is an answer with so many calls."""
        return any(least <= count and (most is None or count <= most) for count in self.counts(text, least))

    def counts(self, text: str, least: int) -> Iterator[int]:
        """How many calls a text has, by each way to read it."""
        if self.format == "gpt-oss":
            yield from self._harmony(text)
        elif self.format == "command-r7b":
            if self._is_message(text, "<|START_RESPONSE|>", "<|END_RESPONSE|>"):
                yield 0
            yield from self._calls(text)
        elif self.format in ("llama3", "json-list", "pythonic"):
            first = "{" if self.format == "llama3" else "["
            marked = self.format == "llama3" and "<|python_tag|>" in text
            if text[:1] not in (first, " ", "\t", "\r", "\n") and not marked and self._is_content(text):
                yield 0
            yield from self._calls(text)
        else:
            trigger = _TRIGGERS[self.format]
            before, found, _ = text.partition(trigger)
            if not found and self._is_content(text):
                yield 0
            elif found and self._is_content(before) and (not least or not before):
                yield from self._calls(text[len(before) :])

    def _is_content(self, text: str) -> bool:
        """Whether a text is UTF-8 without special tokens."""
        return not any(name in text for name in self.special) and not any("\udc80" <= char <= "\udcff" for char in text)

    def _is_message(self, text: str, begin: str, end: str) -> bool:
        inner = text[len(begin) : len(text) - len(end)]
        is_framed = text.startswith(begin) and text.endswith(end) and len(text) >= len(begin) + len(end)
        return is_framed and text.index(end, len(begin)) == len(text) - len(end) and self._is_content(inner)

    def _harmony(self, text: str) -> Iterator[int]:
        after = "<|start|>assistant"
        while text.startswith(("<|channel|>analysis<|message|>", "<|channel|>commentary<|message|>")):
            message, found, rest = text.partition("<|end|>")
            begin = message[: message.index("<|message|>") + len("<|message|>")]
            if not found or not rest.startswith(after) or not self._is_content(message[len(begin) :]):
                return
            text = rest[len(after) :]
        if self._is_message(text, "<|channel|>final<|message|>", "<|return|>"):
            yield 0
        yield from self._calls(text)

    def _calls(self, text: str) -> Iterator[int]:
        begin, between, end, before, after = (re.compile(one, re.DOTALL) for one in _READERS[self.format])
        place = self._match(begin, text, 0)
        count = 0
        while place is not None:
            head = before.match(text, place)
            if head is None:
                return
            name = next(one for one in head.groups() if one is not None)
            if _READERS[self.format][3].count(_NAME):
                try:
                    decoded = json.loads(f'"{name}"')
                except ValueError:
                    return
                if _quoted(decoded)[1:-1] != name:
                    return
                name = decoded
            place = self._arguments(name, text, head.end())
            place = None if place is None else self._match(after, text, place)
            if place is None:
                return
            count += 1
            if self._match(end, text, place) == len(text):
                yield count
            if self.format in SINGLE:
                return
            place = self._match(between, text, place)

    def _arguments(self, name: str, text: str, place: int) -> int | None:
        """Where the arguments end; None if they are not valid."""
        if self.format in MARKED:
            return self._marked(name, text, place)
        if self.format in TAGS:
            found: Parameters = []
            one = re.compile(_PARAMETERS[self.format], re.DOTALL)
            while parameter := one.match(text, place):
                found.append((parameter.group(1), parameter.group(2)))
                place = parameter.end()
            is_plain = not any(mark in value for mark in self.special for _, value in found)
            return place if is_plain and self.accepts(name, found) else None
        try:
            _, end = json.JSONDecoder(strict=True).raw_decode(text, place)
        except (ValueError, RecursionError):
            return None
        return end if text[place] == "{" and self.accepts(name, text[place:end]) else None

    def _marked(self, name: str, text: str, place: int) -> int | None:
        """The same where a reader sees which values are strings: the object that they make must be valid."""
        head, string, end, between = _MARKED[self.format]
        found: list[str] = []
        while True:
            if found:
                if not text.startswith(between, place):
                    break
                place += len(between)
            key = re.compile(head).match(text, place)
            if key is None:
                if found and between:
                    return None
                break
            place = key.end()
            if plain := re.compile(string, re.DOTALL).match(text, place):
                if any(mark in plain.group(1) for mark in self.special) or not self._is_content(plain.group(1)):
                    return None
                value, place = _dumps(plain.group(1), self.format in COMPACT), plain.end()
            else:
                try:
                    given, after = json.JSONDecoder(strict=True).raw_decode(text, place)
                except (ValueError, RecursionError):
                    return None
                if (isinstance(given, str) and string != "(?!)") or not text.startswith(end, after):
                    return None
                value, place = text[place:after], after + len(end)
            found.append(f"{_quoted(key.group(1))}{':' if self.format in COMPACT else ': '}{value}")
        return place if self.accepts(name, "{" + ("," if self.format in COMPACT else ", ").join(found) + "}") else None

    @staticmethod
    def _match(pattern: re.Pattern[str], text: str, place: int) -> int | None:
        found = pattern.match(text, place)
        return None if found is None else found.end()
