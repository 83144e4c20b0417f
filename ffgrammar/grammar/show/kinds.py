"""The notations in which a grammar can be written."""

from __future__ import annotations

from typing import Literal, get_args

__all__ = ["KINDS", "Kind"]

Kind = Literal["ir", "lark", "gbnf", "dot", "svg"]
KINDS: tuple[Kind, ...] = get_args(Kind)
