"""The Lark front-end. Reading order: source, reader, terminals (and pattern, common), lowering."""

from __future__ import annotations

from ffgrammar.grammar.lark.lowering import build

__all__ = ["build"]
