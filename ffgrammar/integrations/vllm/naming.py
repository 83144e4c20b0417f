"""The names of this backend in vLLM's configuration."""

from __future__ import annotations

__all__ = ["NAME", "OURS"]

NAME = "ffgrammar"
# All names that lead to it.
OURS = ("auto", NAME)
