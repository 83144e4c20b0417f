"""Tool calls as real chat templates write them: `compile_tools` accepts what each template renders.

FFGRAMMAR_CHAT_TEMPLATES names folders of chat templates, with ':' between them: models/templates of llama.cpp (in the
sdist of llama-cpp-python, below vendor/llama.cpp) and examples of vLLM (in its sdist).
"""

from __future__ import annotations

import json
import os
import re
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

import ffgrammar as ff
from ffgrammar.api.tools.table import NAMES

jinja2 = pytest.importorskip("jinja2", reason="the package jinja2 is not installed")

FOLDERS = [Path(one) for one in os.environ.get("FFGRAMMAR_CHAT_TEMPLATES", "").split(os.pathsep) if one]
# The templates by the format that they write.
TEMPLATES = {
    "hermes": (
        *("Bielik-11B-v3.0-Instruct", "MiMo-VL", "NousResearch-Hermes-2-Pro-Llama-3-8B-tool_use"),
        *("NousResearch-Hermes-3-Llama-3.1-8B-tool_use", "Qwen-QwQ-32B", "Qwen-Qwen2.5-7B-Instruct", "Qwen-Qwen3-0.6B"),
        *("ibm-granite-granite-4.0", "ibm-granite-granite-4.1", "tool_chat_template_hermes"),
    ),
    "llama3": (
        *("meta-llama-Llama-3.1-8B-Instruct", "meta-llama-Llama-3.2-3B-Instruct", "meta-llama-Llama-3.3-70B-Instruct"),
        *("tool_chat_template_llama3.1_json", "tool_chat_template_llama3.2_json"),
    ),
    "mistral": (
        *("mistralai-Mistral-Nemo-Instruct-2407", "tool_chat_template_mistral", "tool_chat_template_mistral3"),
        "tool_chat_template_mistral_parallel",
    ),
    "mistral-v11": (
        *("Mistral-Small-3.2-24B-Instruct-2506", "mistralai-Ministral-3-14B-Reasoning-2512"),
        "unsloth-mistral-Devstral-Small-2507",
    ),
    "deepseek-v3": ("deepseek-ai-DeepSeek-R1-Distill-Qwen-32B", "tool_chat_template_deepseekr1"),
    "deepseek-v3.1": ("deepseek-ai-DeepSeek-V3.1",),
    "deepseek-v3.2": ("deepseek-ai-DeepSeek-V3.2",),
    "kimi-k2": ("moonshotai-Kimi-K2",),
    "command-r7b": ("CohereForAI-c4ai-command-r7b-12-2024-tool_use", "Cohere2MoE"),
    "hunyuan": ("tool_chat_template_hunyuan_a13b", "Apriel-1.6-15b-Thinker-fixed", "unsloth-Apriel-1.5"),
    "nemotron": ("NVIDIA-Nemotron-Nano-v2",),
    "internlm2": ("tool_chat_template_internlm2_tool",),
    "json-list": ("tool_chat_template_xlam_llama", "tool_chat_template_xlam_qwen"),
    "qwen3-coder": (
        *("Qwen3-Coder", "Qwen3.5-4B", "NVIDIA-Nemotron-3-Nano-30B-A3B-BF16", "tool_chat_template_qwen3coder"),
    ),
    "glm-4.5": ("GLM-4.6",),
    "glm-4.7": ("GLM-4.7-Flash", "Spark2.5"),
    "minimax-m2": ("MiniMax-M2",),
    "seed-oss": ("ByteDance-Seed-OSS",),
    "gpt-oss": ("openai-gpt-oss-120b",),
    "functiongemma": ("tool_chat_template_functiongemma",),
    "gemma4": ("google-gemma-4-31B-it", "google-gemma-4-31B-it-interleaved", "tool_chat_template_gemma4"),
    "pythonic": ("tool_chat_template_llama4_pythonic", "tool_chat_template_gemma3_pythonic"),
}
# Formats whose templates write no calls, or not as the models do.
WITHOUT = {
    "granite": "the template of vLLM shows a call on several lines, that of Granite 3.3 shows none",
    "phi4-mini": "the template of vLLM shows a call as Python prints a dict",
    "lfm2": "the template shows no calls",
}
# Templates that write values of all types as strings, or nothing between arguments: calls have one text each.
ONE_TEXT = {
    "tool_chat_template_functiongemma",
    "tool_chat_template_llama4_pythonic",
    "tool_chat_template_gemma3_pythonic",
}
# Templates that show a call with other blanks than models write.
BLANKS = {"gpt-oss": 1}
# Templates, or models, that have one call at most.
SINGLE = {"llama3", "gpt-oss"}

CITY = {"type": "string", "description": "where"}
HOURS = {"type": "array", "items": {"type": "integer"}, "description": "when"}
PARAMETERS = {
    "get_weather": {
        "type": "object",
        "properties": {"city": CITY, "days": {"type": "integer", "description": "how many"}, "hours": HOURS},
        "required": ["city"],
    },
    "get_time": {"type": "object", "properties": {"zone": CITY}, "required": ["zone"]},
}
TOOLS = [
    {"type": "function", "function": {"name": name, "description": "looks it up", "parameters": one}}
    for name, one in PARAMETERS.items()
]
CALLS: list[tuple[str, dict[str, Any]]] = [
    ("get_weather", {"city": "Ås <b>", "days": 3, "hours": [7, 18]}),
    ("get_time", {"zone": "Oslo"}),
]
MARK = "What is the weather?"
TOKENS = re.compile(r"<[^<>\s=/]*[▁_|｜][^<>\s=/]*>|\[/?[A-Z_]{4,}\]|</?(?:think|tool_call|arg_key|arg_value|escape)>")


def rendered(source: str, calls: list[tuple[str, dict[str, Any]]]) -> str:
    """What a template writes after the question, up to the end of the calls' message."""
    environment = jinja2.Environment(trim_blocks=True, lstrip_blocks=True, extensions=["jinja2.ext.loopcontrols"])

    def dumps(value: Any, ensure_ascii: bool = False, **options: Any) -> str:
        return json.dumps(value, ensure_ascii=ensure_ascii, **options)

    def refuse(message: str) -> None:
        raise ValueError(message)

    environment.filters.update(tojson=dumps, fromjson=json.loads, from_json=json.loads)
    environment.globals.update(raise_exception=refuse, strftime_now=datetime(2026, 1, 1).strftime)
    listed = [
        {"id": f"abcDEF12{number}", "type": "function", "function": {"name": name, "arguments": given}}
        for number, (name, given) in enumerate(calls)
    ]
    messages = [
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": MARK},
        {"role": "assistant", "content": "", "tool_calls": listed},
    ]
    whole = environment.from_string(source).render(
        messages=messages, tools=TOOLS, bos_token="", eos_token="", enable_thinking=False
    )
    return str(whole).rpartition(MARK)[2]


def source_of(name: str) -> str | None:
    for folder in FOLDERS:
        if (folder / f"{name}.jinja").is_file():
            return (folder / f"{name}.jinja").read_text(encoding="utf-8")
    return None


def tokenizer(cl100k: ff.Tokenizer, text: str) -> ff.Tokenizer:
    """A tokenizer in which what looks like a special token in a text is one."""
    names = sorted({*TOKENS.findall(text), "<|constrain|>"})
    tokens = [cl100k.token_bytes(one) for one in range(100_256)]
    ids = {name: 100_256 + number for number, name in enumerate([*names, "<eos>"])}
    return ff.Tokenizer.from_tokens([*tokens, *[None] * len(ids)], ids["<eos>"], ids)


def ends(grammar: ff.Grammar, text: str) -> list[int]:
    """The places in a text where an answer may end."""
    found, place = [], 0
    matcher, special = grammar.matcher(), grammar.tokenizer.special_tokens
    names = sorted(special, key=len, reverse=True)
    for one in re.split("(" + "|".join(map(re.escape, names)) + ")", text):
        for unit in [one] if one in special else one:
            is_read = matcher.accept_token(special[one]) if one in special else matcher.accept_bytes(unit.encode())
            if not is_read:
                return found
            place += len(unit)
            if matcher.is_accepting():
                found.append(place)
    return found


def test_every_format_has_a_template_or_a_reason() -> None:
    assert set(TEMPLATES) | set(WITHOUT) == set(NAMES)


@pytest.mark.parametrize(("format", "name"), [(format, name) for format, names in TEMPLATES.items() for name in names])
def test_what_a_template_renders_is_accepted(format: str, name: str, cl100k: ff.Tokenizer) -> None:
    source = source_of(name)
    if source is None:
        pytest.skip("FFGRAMMAR_CHAT_TEMPLATES does not have all chat templates")
    calls = [("get_weather", {"city": "Ås <b>"}), CALLS[1]] if name in ONE_TEXT else CALLS
    for some in [calls[:1]] if format in SINGLE else [calls[:1], calls]:
        text = rendered(source, some)
        tok = tokenizer(cl100k, text)
        grammar = ff.compile_tools(TOOLS, tok, format=format, choice="required", whitespace=BLANKS.get(format))  # type: ignore[arg-type]
        # The calls begin where the first answer begins, and end where the last one ends that has all calls.
        answers = [
            (place, places)
            for place in range(len(text))
            if (places := ends(grammar, text[place:])) and some[0][0] in text[place:]
        ]
        assert answers, text
        first, places = answers[0]
        assert (some[-1][0] in text[first : first + places[-1]]) and all(
            value in text[first : first + places[-1]] for value in ("Ås <b>", "Oslo")[: len(some)]
        )
        # What is around the calls are marks of turns and of reasoning.
        around = TOKENS.sub("", text[:first]) + TOKENS.sub("", text[first + places[-1] :])
        assert not any(char in around for char in '{}"()') and "get_" not in around, text
