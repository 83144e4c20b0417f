"""Formats in which each argument is a text between tags. Each names the place that describes it."""

from __future__ import annotations

from ffgrammar.api.tools.format import Format, Mark, Parameters

__all__ = ["XML_FORMATS"]

_CALL, _CALL_END = Mark("<tool_call>"), Mark("</tool_call>")
_KEY, _KEY_END, _VALUE = Mark("<arg_key>"), Mark("</arg_key>"), Mark("<arg_value>")
_VALUE_END, _PARAMETER_END = Mark("</arg_value>"), Mark("</parameter>")

XML_FORMATS = (
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
)
