"""Formats in which arguments are a JSON object. Each names the place that describes it."""

from __future__ import annotations

from ffgrammar.api.tools.format import INDEX, Format, Mark, Maybe, Pattern, Piece

__all__ = ["JSON_FORMATS"]

_NAME, _ARGUMENTS, _PARAMETERS = '{"name": "', '", "arguments": ', '", "parameters": '
_CALLS, _CALLS_END = Mark("<｜tool▁calls▁begin｜>", True), Mark("<｜tool▁calls▁end｜>", True)
_CALL, _CALL_END = Mark("<｜tool▁call▁begin｜>", True), Mark("<｜tool▁call▁end｜>", True)
_SEP = Mark("<｜tool▁sep｜>", True)
_ID = Pattern("[A-Za-z0-9]{9}")


def _list(name: str, models: str, source: str, begin: tuple[Piece, ...], end: tuple[Piece, ...]) -> Format:
    """A format in which calls are a JSON list with marks around it, or only before it."""
    bare = "" if begin else "["
    return Format(
        name=name,
        models=models,
        source=source,
        begin=(*begin, "["),
        before=(_NAME,),
        middle=(_ARGUMENTS,),
        after=("}",),
        between=(", ",),
        end=("]", *end),
        bare=bare,
    )


JSON_FORMATS = (
    Format(
        name="hermes",
        models="Hermes 2 Pro and later, Qwen2.5, Qwen3, Granite 4, Ernie 4.5",
        source="chat templates of NousResearch/Hermes-3-Llama-3.1-8B, Qwen/Qwen3-8B, ibm-granite/granite-4.0-h-small",
        before=(Mark("<tool_call>"), "\n" + _NAME),
        middle=(_ARGUMENTS,),
        after=("}\n", Mark("</tool_call>")),
        between=("\n",),
    ),
    Format(
        name="llama3",
        models="Llama 3.1, 3.2, 3.3, and Llama 4 with JSON",
        source="chat template of meta-llama/Llama-3.1-8B-Instruct; Llama 3.1 prompt format, JSON based tool calling",
        before=(Maybe((Mark("<|python_tag|>", True),)), _NAME),
        middle=(_PARAMETERS,),
        after=("}",),
        bare="{",
        single=True,
    ),
    Format(
        name="mistral",
        models="Mistral 7B v0.3, Mixtral 8x22B, Nemo, Large 2, Small 3 (tokenizers before v11)",
        source="mistral-common, instruct tokenizers v3 and v7; chat template of mistralai/Mistral-7B-Instruct-v0.3",
        begin=(Mark("[TOOL_CALLS]", True), Maybe((" ",)), "["),
        before=(_NAME,),
        middle=(_ARGUMENTS,),
        after=(Maybe((', "id": "', _ID, '"')), "}"),
        between=(", ",),
        end=("]",),
    ),
    Format(
        name="mistral-v11",
        models="Mistral Small 3.1 and later, Magistral, Devstral, Ministral 3 (tokenizers v11 and v13)",
        source="mistral-common, instruct tokenizers v11 and v13",
        before=(Mark("[TOOL_CALLS]", True),),
        middle=(Maybe((Mark("[CALL_ID]", True), _ID)), Mark("[ARGS]", True)),
        quoted=False,
    ),
    Format(
        name="deepseek-v3",
        models="DeepSeek V3, V3-0324, R1",
        source="chat template of deepseek-ai/DeepSeek-V3-0324",
        begin=(_CALLS,),
        before=(_CALL, "function", _SEP),
        middle=("\n```json\n",),
        after=("\n```", _CALL_END),
        between=("\n",),
        end=(_CALLS_END,),
        quoted=False,
    ),
    Format(
        name="deepseek-v3.1",
        models="DeepSeek V3.1, V3.1-Terminus",
        source="chat template of deepseek-ai/DeepSeek-V3.1",
        begin=(_CALLS,),
        before=(_CALL,),
        middle=(_SEP,),
        after=(_CALL_END,),
        end=(_CALLS_END,),
        quoted=False,
    ),
    Format(
        name="kimi-k2",
        models="Kimi K2, K2 Thinking",
        source="moonshotai/Kimi-K2-Instruct, docs/tool_call_guidance.md",
        begin=(Mark("<|tool_calls_section_begin|>", True),),
        before=(Mark("<|tool_call_begin|>", True), "functions."),
        middle=(":", INDEX, Mark("<|tool_call_argument_begin|>", True)),
        after=(Mark("<|tool_call_end|>", True),),
        end=(Mark("<|tool_calls_section_end|>", True),),
        quoted=False,
    ),
    _list(
        "granite",
        "Granite 3.0 to 3.3",
        "chat template of ibm-granite/granite-3.3-8b-instruct; vLLM's tool parser granite",
        (Mark("<|tool_call|>"),),
        (),
    ),
    Format(
        name="phi4-mini",
        models="Phi-4-mini",
        source="vLLM's examples/tool_chat_template_phi4_mini.jinja",
        begin=(Mark("functools["),),
        before=(_NAME,),
        middle=(_ARGUMENTS,),
        after=("}",),
        between=(", ",),
        end=("]",),
    ),
    Format(
        name="command-r7b",
        models="Command R7B, Command A",
        source="chat template of CohereForAI/c4ai-command-r7b-12-2024, tool use",
        begin=(Mark("<|START_ACTION|>", True), "[\n    "),
        before=('{"tool_call_id": "', INDEX, '", "tool_name": "'),
        middle=(_PARAMETERS,),
        after=("}",),
        between=(",\n    ",),
        end=("\n]", Mark("<|END_ACTION|>", True)),
        content=(Mark("<|START_RESPONSE|>", True), Mark("<|END_RESPONSE|>", True)),
    ),
    _list(
        "hunyuan",
        "Hunyuan A13B",
        "vLLM's examples/tool_chat_template_hunyuan_a13b.jinja",
        (Mark("<tool_calls>"),),
        (Mark("</tool_calls>"),),
    ),
    _list(
        "nemotron",
        "Nemotron Nano v2, Llama Nemotron Super v1.5",
        "chat template of nvidia/NVIDIA-Nemotron-Nano-9B-v2",
        (Mark("<TOOLCALL>"),),
        (Mark("</TOOLCALL>"),),
    ),
    Format(
        name="internlm2",
        models="InternLM 2 and 2.5",
        source="vLLM's examples/tool_chat_template_internlm2_tool.jinja; InternLM's chat format",
        before=(Mark("<|action_start|>"), Mark("<|plugin|>"), "\n" + _NAME),
        middle=(Pattern('", "(arguments|parameters)": '),),
        after=("}", Mark("<|action_end|>")),
    ),
    _list(
        "json-list",
        "xLAM, and any model that is asked for such a list in its prompt",
        "chat template of Salesforce/Llama-xLAM-2-8b-fc-r",
        (),
        (),
    ),
)
