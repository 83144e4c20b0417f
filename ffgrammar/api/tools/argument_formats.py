"""Formats in which arguments are written one by one. Each names the place that describes it."""

from __future__ import annotations

from ffgrammar.api.tools.format import COMPACT, Format, Mark, Parameters, Piece

__all__ = ["ARGUMENT_FORMATS"]

_CALL, _CALL_END = Mark("<tool_call>"), Mark("</tool_call>")
_KEY, _KEY_END, _VALUE = Mark("<arg_key>"), Mark("</arg_key>"), Mark("<arg_value>")
_VALUE_END, _PARAMETER_END = Mark("</arg_value>"), Mark("</parameter>")

_DSML = "｜DSML｜"


def _deepseek(name: str, models: str, source: str, calls: str) -> Format:
    """A format in DeepSeek's markup, in which a mark says of each value whether it is a string."""
    # (｜DSML｜ is a token of the models, but no special one)
    return Format(
        name=name,
        models=models,
        source=source,
        begin=(Mark(f"<{_DSML}{calls}>"), "\n"),
        before=(f'<{_DSML}invoke name="',),
        middle=('">\n',),
        after=(f"</{_DSML}invoke>\n",),
        end=(f"</{_DSML}{calls}>",),
        quoted=False,
        parameters=Parameters(
            (f'<{_DSML}parameter name="',),
            ('" string="true">',),
            Mark(f"</{_DSML}parameter>"),
            trail="\n",
            other_middle=('" string="false">',),
        ),
    )


def _gemma(name: str, models: str, source: str, marks: tuple[str, str], quote: str) -> Format:
    """A format of Gemma, in which strings stand between two equal tokens."""
    return Format(
        name=name,
        models=models,
        source=source,
        before=(Mark(marks[0]), "call:"),
        middle=("{",),
        after=("}", Mark(marks[1])),
        quoted=False,
        separators=COMPACT,
        parameters=Parameters((), (":", Mark(quote)), Mark(quote), other_middle=(":",), other_stop=False, between=","),
    )


def _pythonic(
    name: str, models: str, source: str, begin: tuple[Piece, ...] = (), end: tuple[Piece, ...] = ()
) -> Format:
    """A format in which calls are a list in Python's notation, with marks around it or none."""
    return Format(
        name=name,
        models=models,
        source=source,
        begin=(*begin, "["),
        before=("",),
        middle=("(",),
        after=(")",),
        between=(", ",),
        end=("]", *end),
        quoted=False,
        bare="" if begin else "[",
        parameters=Parameters((), ("=",), None, between=", "),
    )


ARGUMENT_FORMATS = (
    Format(
        name="qwen3-coder",
        models="Qwen3-Coder, Qwen3.5, Nemotron 3 Nano",
        source="chat template of Qwen/Qwen3-Coder-30B-A3B-Instruct",
        before=(_CALL, "\n<function="),
        middle=(">\n",),
        after=("</function>\n", _CALL_END),
        between=("\n",),
        quoted=False,
        parameters=Parameters(("<parameter=",), (">\n",), _PARAMETER_END, "\n", "\n"),
    ),
    Format(
        name="glm-4.5",
        models="GLM-4.5, GLM-4.6",
        source="chat template of zai-org/GLM-4.6",
        before=(_CALL,),
        middle=("\n",),
        after=(_CALL_END,),
        between=("\n",),
        quoted=False,
        parameters=Parameters((_KEY,), (_KEY_END, "\n", _VALUE), _VALUE_END, trail="\n"),
    ),
    Format(
        name="glm-4.7",
        models="GLM-4.7, GLM-5",
        source="chat template of zai-org/GLM-4.7",
        before=(_CALL,),
        middle=(),
        after=(_CALL_END,),
        quoted=False,
        parameters=Parameters((_KEY,), (_KEY_END, _VALUE), _VALUE_END),
    ),
    Format(
        name="minimax-m2",
        models="MiniMax-M2, M2.1, M2.5",
        source="chat template of MiniMaxAI/MiniMax-M2, and docs/tool_calling_guide.md there",
        begin=(Mark("<minimax:tool_call>"), "\n"),
        before=('<invoke name="',),
        middle=('">\n',),
        after=("</invoke>\n",),
        end=(Mark("</minimax:tool_call>"),),
        quoted=False,
        parameters=Parameters(('<parameter name="',), ('">',), _PARAMETER_END, trail="\n"),
    ),
    Format(
        name="seed-oss",
        models="Seed-OSS",
        source="chat template of ByteDance-Seed/Seed-OSS-36B-Instruct",
        before=(Mark("<seed:tool_call>"), "\n<function="),
        middle=(">\n",),
        after=("</function>\n", Mark("</seed:tool_call>")),
        between=("\n",),
        quoted=False,
        parameters=Parameters(("<parameter=",), (">",), _PARAMETER_END, trail="\n"),
    ),
    _deepseek(
        "deepseek-v3.2",
        "DeepSeek V3.2",
        "llama.cpp's models/templates/deepseek-ai-DeepSeek-V3.2.jinja; vLLM's parser deepseek_v32",
        "function_calls",
    ),
    _gemma(
        "functiongemma",
        "FunctionGemma",
        "Google's FunctionGemma formatting and best practices; vLLM's examples/tool_chat_template_functiongemma.jinja",
        ("<start_function_call>", "<end_function_call>"),
        "<escape>",
    ),
    _gemma(
        "gemma4",
        "Gemma 4",
        "vLLM's examples/tool_chat_template_gemma4.jinja",
        ("<|tool_call>", "<tool_call|>"),
        '<|"|>',
    ),
    _pythonic(
        "pythonic",
        "Llama 4, Llama 3.2, Gemma 3, ToolACE",
        "vLLM's examples/tool_chat_template_llama4_pythonic.jinja and tool_chat_template_gemma3_pythonic.jinja",
    ),
    _pythonic(
        "lfm2",
        "LFM2, LFM2.5",
        "vLLM's tool parser lfm2",
        (Mark("<|tool_call_start|>"),),
        (Mark("<|tool_call_end|>"),),
    ),
)
