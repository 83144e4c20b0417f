r"""The pre-tokenizers of Hugging Face tokenizers, as patterns that cut a text one after another.

These pre-tokenizers are read, each alone or as steps of a Sequence: Digits, ByteLevel as the last step, Metaspace as
the first one, and Split by a string or by a regular expression that tokens/pretokenize/pattern.py reads. The regular
expressions of Hugging Face are Oniguruma's. In Oniguruma `$`, `a{1,3}+` and `a{3}?` mean something else than in
tiktoken's patterns, so they are refused. Where case is ignored, Oniguruma also lets two letters match one character, so
what could do this is refused. The characters that are \p{L}, \p{N} and so on are the same in both; those of \w are not.
(The pre-tokenizer Digits follows a later Unicode, in which 13 more characters are numbers. Here it is read as \p{N},
without these 13.)

Whitespace and its like drop the white space of a text. So no tokens spell a text that has some, and they are refused.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ffgrammar.core.errors import TokenizerError
from ffgrammar.tokens.pretokenize.split import Split

__all__ = ["WHOLE_TEXT", "read_splits"]

GPT2 = r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"
WHOLE_TEXT = Split(r"(?:\s|\S)+")

# Two letters that match one character when case is ignored, as ss matches \u00df. Other such texts have characters
# beyond ASCII. A class that has \u00df matches ss, too.
FOLDED = ("ff", "fi", "fl", "ss", "st")


def read_splits(steps: list[dict[str, Any]], space: str | None) -> list[Split]:
    """The patterns of a pre-tokenizer's steps.

    Args:
        steps: the members of the pre-tokenizer, [] if there is none.
        space: the character that stands for the space, or None. Either a normalizer puts it into the text before the
            first step, or the first step is a Metaspace, which does so.

    Raises:
        TokenizerError: a step cannot be read.
    """
    found: list[Split] = []
    for index, step in enumerate(steps):
        match step["type"]:
            case "ByteLevel" if index == len(steps) - 1:
                found += [Split(GPT2)] if step.get("use_regex", True) else []
            case "Digits":
                found.append(Split(r"\p{N}" if step.get("individual_digits") else r"\p{N}+", gaps=True))
            case "Metaspace" if index == 0 and space is not None:
                found += [_merged_with_next(space, f"[^{space}]")] if step.get("split", True) else []
            case "Split":
                found.append(_read_split(step)._replace(oniguruma=True))
            case "Whitespace" | "WhitespaceSplit" | "BertPreTokenizer" as name:
                raise TokenizerError(f"pre-tokenizer {name} drops white space, so tokens do not spell the text")
            case other:
                raise TokenizerError(f"pre-tokenizer {other} (step {index + 1} of {len(steps)}) is not read here")
    return found or [WHOLE_TEXT]


def _escaped(text: str) -> str:
    """The pattern that matches this string and nothing else."""
    return "".join("\\" + one if one in "\\.+*?()|[]{}^$-/" else one for one in text)


def _merged_with_next(one: str, other: str) -> Split:
    return Split(f"{one}{other}*|{other}+")


def _read_split(step: dict[str, Any]) -> Split:
    pattern = step["pattern"]
    source = _escaped(pattern["String"]) if "String" in pattern else _checked(pattern["Regex"])
    behavior, invert = step["behavior"], bool(step.get("invert"))
    if behavior == "Isolated":
        return Split(source, gaps=True)
    if behavior == "Removed" and invert:
        # (the tokenizer drops the text between matches, so `Split` requires that the pattern match every character)
        return Split(source)
    if invert or behavior == "Removed":
        raise TokenizerError(f"pre-tokenizer Split with behavior {behavior} is not read here")
    one, other = _character(source)
    if behavior == "Contiguous":
        return Split(f"{one}+", gaps=True)
    if behavior == "MergedWithNext":
        return _merged_with_next(one, other)
    if behavior == "MergedWithPrevious":
        return Split(f"{other}*{one}|{other}+")
    raise TokenizerError(f"pre-tokenizer Split with behavior {behavior} is not read here")


def _checked(source: str) -> str:
    """The regular expression. Raises TokenizerError if it may mean something else in Oniguruma than here."""
    ignores_case = False
    before = ""
    for at, item, depth in _items(source):
        if not depth and (item == "$" or source.startswith(("}+", "}?"), at)):
            raise TokenizerError(f"pre-tokenizer pattern, character {at}: {item!r} is not read here: {source!r}")
        group = item == "(" and not depth
        in_class = depth and item[:2] in (r"\p", r"\P", r"\w", r"\W")
        if ignores_case and (group or in_class or not item.isascii() or (before + item).lower() in FOLDED):
            raise TokenizerError(
                f"pre-tokenizer pattern, character {at}: where case is ignored, "
                f"two letters may match one character: {source!r}"
            )
        if group:
            ignores_case = source.startswith("(?i:", at)
        elif item == ")" and not depth:
            ignores_case = False
        # (brackets around one letter change nothing)
        before = before if item in ("[", "]") else item
    return source


def _items(source: str) -> Iterator[tuple[int, str, int]]:
    """(position, a character or an escape, how many classes it is in) of each character and each escape."""
    at = depth = 0
    while at < len(source):
        size = 1
        if source[at] == "\\":
            size = 2
            # (the name of a property is in braces, and may be followed by a quantifier)
            if source[at + 1 : at + 2] in ("p", "P") and "}" in source[at:]:
                size = source.index("}", at) + 1 - at
        item = source[at : at + size]
        yield at, item, depth
        depth += (item == "[") - (item == "]")
        at += size


def _character(source: str) -> tuple[str, str]:
    """(a pattern that matches one character, the pattern that matches all others)."""
    # (most tokenizers are loaded without these modules)
    from ffgrammar.tokens.pretokenize.pattern import compile_pattern
    from ffgrammar.tokens.pretokenize.program import CHAR

    program = compile_pattern(source, oniguruma=True)
    # (a group, and a repeat such as a{1}, are more than one item)
    plain = source.startswith("[") or len(list(_items(source))) == 1
    if len(program) != 2 or program[0].kind != CHAR or not plain:
        raise TokenizerError(f"pre-tokenizer Split: its pattern must match one character: {source!r}")
    if source.startswith("[^"):
        return source, "[" + source[2:]
    if source.startswith("["):
        return source, "[^" + source[1:]
    if source[0] == "\\" and source[1] in "pPsSwW":
        return source, "\\" + source[1].swapcase() + source[2:]
    return source, f"[^{source}]"
