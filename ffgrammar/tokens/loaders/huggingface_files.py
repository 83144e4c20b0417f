"""The files of Hugging Face models: where a tokenizer.json is, and what it and its neighbours say."""

from __future__ import annotations

import json
import os
from io import FileIO
from typing import Any

from ffgrammar.core.errors import TokenizerError
from ffgrammar.core.whole_file import read_whole
from ffgrammar.tokens.loaders.files import unreadable
from ffgrammar.tokens.loaders.vocabulary_json import read_big_parts

__all__ = ["eos_ids_beside", "file_behind", "find_json", "open_source"]

# How many objects one inside another are asked for the file that they were read from, times two.
MAX_PLACES = 8


def find_json(source: Any) -> str | None:
    """The path of a tokenizer.json: the source itself, or a file in the folder that the source names. None if the
    source is an object. Raises TokenizerError if the source is the text of such a file."""
    if isinstance(source, str) and source.lstrip().startswith("{"):
        raise TokenizerError(
            "from_huggingface: this is the text of a tokenizer.json; "
            "pass its path, or tokenizers.Tokenizer.from_str(text)"
        )
    if not isinstance(source, str | os.PathLike):
        return None
    path = os.fspath(source) or "."
    # (a path that the system does not accept is no folder; reading it says what is wrong)
    return os.path.join(path, "tokenizer.json") if os.path.isdir(path) else path


def file_behind(source: Any) -> str | None:
    """The file, or the folder, that a tokenizer object without a tokenizer.json of its own was read from: one of
    mistral-common, one of transformers around such a one, or one that transformers runs in Python. None if the object
    has a tokenizer.json (`to_str`), or if no such file is there."""
    if hasattr(getattr(source, "backend_tokenizer", source), "to_str"):
        return None
    places: list[Any] = []
    inner = source
    while inner is not None and len(places) < MAX_PLACES:
        places += [getattr(inner, "file_path", None), getattr(inner, "vocab_file", None)]
        inner = getattr(inner, "instruct_tokenizer", None) or getattr(inner, "tokenizer", None)
    for place in [*places, getattr(source, "name_or_path", None)]:
        if isinstance(place, str | os.PathLike) and place and os.path.exists(place):
            return os.fspath(place)
    return None


def open_source(source: Any, data: bytes | None) -> tuple[dict[str, Any], str, list[Any] | None]:
    """(the JSON value, a name for messages, the EOS ids or names that the source gives; None if it gives none)."""
    path = find_json(source)
    if path is not None:
        return _read_config(path, data), str(source), _eos_beside(os.path.dirname(path))
    eos = getattr(source, "eos_token_id", None)
    name = getattr(source, "name_or_path", "") or "huggingface"
    backend = getattr(source, "backend_tokenizer", source)
    try:
        text = backend.to_str()
    except AttributeError:
        raise TokenizerError(
            "from_huggingface: expected a path, a tokenizers.Tokenizer, a tokenizer of transformers or of "
            f"mistral-common whose file is on this machine, not {type(source).__name__}"
        ) from None
    config = read_big_parts(text.encode()) or json.loads(text)
    return config, name, None if eos is None else eos if isinstance(eos, list) else [eos]


def _content(path: str) -> bytes:
    with FileIO(path) as file:
        return read_whole(file)


def _read_config(path: str, data: bytes | None) -> dict[str, Any]:
    """The value of a tokenizer.json."""
    if data is None:
        try:
            data = _content(path)
        except (OSError, ValueError) as error:
            raise unreadable(path, error) from None
    return read_big_parts(data) or _read_json(path, data)


def _read_json(path: str, data: bytes | None = None) -> dict[str, Any]:
    try:
        value = json.loads(_content(path) if data is None else data, parse_float=_as_the_package_reads)
    except OSError as error:
        raise unreadable(path, error) from None
    except (OverflowError, RecursionError, ValueError) as error:
        raise TokenizerError(f"{path} is not JSON: {error}") from None
    if not isinstance(value, dict):
        raise TokenizerError(f"{path}: not a JSON object")
    return value


def _as_the_package_reads(number: str) -> float:
    """A number of a JSON file as the package `tokenizers` reads it: its digits as one whole number, times or divided by
    a power of ten. That rounds twice, so the last bit may be wrong. Between two paths with nearly equal sums, the last
    bit of a score may decide."""
    digits, _, exponent = number.lower().partition("e")
    whole, _, fraction = digits.partition(".")
    power = int(exponent or 0) - len(fraction)
    value = float(int(whole.removeprefix("-") + fraction))
    value = value * float(f"1e{power}") if power >= 0 else value / float(f"1e{-power}")
    return -value if whole.startswith("-") else value


def eos_ids_beside(folder: str) -> list[Any] | None:
    """The EOS ids by a folder's generation_config.json. None if it names none."""
    generation = os.path.join(folder, "generation_config.json")
    eos = _read_json(generation).get("eos_token_id") if os.path.exists(generation) else None
    return (eos or None) if eos is None or isinstance(eos, list) else [eos]


def _eos_beside(folder: str) -> list[Any] | None:
    """The EOS by two other files of a folder: ids from generation_config.json, else a name from tokenizer_config.json.
    None if neither has it."""
    found = eos_ids_beside(folder)
    tokenizer = os.path.join(folder, "tokenizer_config.json")
    if found is None and os.path.exists(tokenizer):
        eos = _read_json(tokenizer).get("eos_token")
        if isinstance(eos, dict):
            eos = eos.get("content")
        if eos is not None:
            return [eos]
    return found
