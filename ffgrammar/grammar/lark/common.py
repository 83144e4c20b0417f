"""Lark's library of common terminals, each as one regular expression.

Lark's own definitions of ESCAPED_STRING and C_COMMENT use lazy quantifiers and look-behind. Here the same languages are
written without lazy quantifiers and look-behind.
"""

from __future__ import annotations

__all__ = ["COMMON"]

_DECIMAL = r"(?:[0-9]+\.[0-9]*|\.[0-9]+)"
_EXP = r"[eE][+-]?[0-9]+"
_FLOAT = rf"(?:[0-9]+{_EXP}|{_DECIMAL}(?:{_EXP})?)"
_NUMBER = rf"(?:{_FLOAT}|[0-9]+)"

COMMON: dict[str, str] = {
    "DIGIT": r"[0-9]",
    "HEXDIGIT": r"[0-9A-Fa-f]",
    "INT": r"[0-9]+",
    "SIGNED_INT": r"[+-]?[0-9]+",
    "DECIMAL": _DECIMAL,
    "_EXP": _EXP,
    "FLOAT": _FLOAT,
    "SIGNED_FLOAT": rf"[+-]?{_FLOAT}",
    "NUMBER": _NUMBER,
    "SIGNED_NUMBER": rf"[+-]?{_NUMBER}",
    "ESCAPED_STRING": r'"(?:[^"\\\n]|\\[^\n])*"',
    "LCASE_LETTER": r"[a-z]",
    "UCASE_LETTER": r"[A-Z]",
    "LETTER": r"[A-Za-z]",
    "WORD": r"[A-Za-z]+",
    "CNAME": r"[A-Za-z_][A-Za-z0-9_]*",
    "WS_INLINE": r"[ \t]+",
    "WS": r"[ \t\f\r\n]+",
    "CR": r"\r",
    "LF": r"\n",
    "NEWLINE": r"(?:\r?\n)+",
    "SH_COMMENT": r"#[^\n]*",
    "CPP_COMMENT": r"//[^\n]*",
    "C_COMMENT": r"/\*(?:[^*]|\*+[^*/])*\*+/",
    "SQL_COMMENT": r"--[^\n]*",
}
