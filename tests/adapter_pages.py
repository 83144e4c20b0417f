"""The pages of adapters that begin with a program in Python."""

from __future__ import annotations

import re
from pathlib import Path

__all__ = ["PAGES", "ROOT", "first_program"]

ROOT = Path(__file__).resolve().parent.parent
PAGES = ("exllamav3", "genlm", "mlx-lm", "onnxruntime-genai", "outlines", "tensorrt-llm")


def first_program(page: str) -> str:
    """The first block of a page. The folder of a model is `"MODEL"` there."""
    found = re.search(r"^```text\n(.*?)^```$", (ROOT / "docs" / f"{page}.md").read_text("utf-8"), re.M | re.S)
    assert found is not None
    return found[1]
