"""What standard parsers say of a text: the judges of the library of grammars.

A judge accepts a text, rejects it, or stops at something that no context-free grammar can see (`BEYOND`), such as a key
that is defined twice. Then a grammar may say either: what comes after that place was never looked at.
"""

from __future__ import annotations

import configparser
import csv
import io
import json
import re
import shutil
import sqlite3
import subprocess
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from typing import Any
from xml.parsers import expat

__all__ = ["JUDGES", "Judge", "Verdict", "disagreement"]


class Verdict(Enum):
    """What a judge says of a text."""

    ACCEPTS = "accepts"
    REJECTS = "rejects"
    BEYOND = "stops at what no grammar can see"


@dataclass(frozen=True)
class Judge:
    """A standard parser of a language.

    Attributes:
        name: the grammar.
        endings: of the names of files in this language.
        verdict: what the parser says of a text, which is UTF-8.
        whole: whether the grammar has all texts that the parser accepts. Otherwise it is a subset.
        marks: bytes that mean something in this language, for mutations.
        known: of a text that the parser accepts and the grammar need not: the documented kind of difference, or "".
        module: a package that the judge needs, if it is not in the standard library.
        program: a program that it needs.
    """

    name: str
    endings: tuple[str, ...]
    verdict: Callable[[bytes], Verdict]
    whole: bool
    marks: bytes
    known: Callable[[bytes], str] = lambda data: ""
    module: str = ""
    program: str = ""

    def missing(self) -> str:
        """What the judge needs and is not installed; "" if nothing is."""
        if self.module and find_spec(self.module) is None:
            return self.module
        return self.program if self.program and shutil.which(self.program) is None else ""


def disagreement(judge: Judge, data: bytes, accepted: bool) -> str:
    """What is wrong with a grammar's verdict on a text; "" if it agrees, or differs in a documented way."""
    verdict = judge.verdict(data)
    if verdict is Verdict.BEYOND or (verdict is Verdict.ACCEPTS) == accepted:
        return ""
    if accepted:
        return "accepted, and the standard parser rejects it"
    if not judge.whole or judge.known(data):
        return ""
    return "rejected, and the standard parser accepts it"


def _text(data: bytes) -> str | None:
    try:
        return data.decode()
    except UnicodeDecodeError:
        return None


def _refuse(word: str) -> None:
    raise ValueError(word)


def _json_value(text: str) -> bool:
    """Whether it is JSON. Python's parser also takes NaN and Infinity, and its integers have a bound."""
    try:
        json.loads(text, parse_constant=_refuse, parse_int=str, parse_float=str)
    except ValueError:
        return False
    return True


def _json(data: bytes) -> Verdict:
    text = _text(data)
    try:
        return Verdict.ACCEPTS if text is not None and _json_value(text) else Verdict.REJECTS
    except RecursionError:
        return Verdict.BEYOND


def _jsonl(data: bytes) -> Verdict:
    text = _text(data)
    if text is None:
        return Verdict.REJECTS
    lines = text.removesuffix("\n").split("\n") if text else []
    return Verdict.ACCEPTS if all(map(_json_value, lines)) else Verdict.REJECTS


# What tomllib says of keys that are defined twice.
TOML_KEYS = re.compile("Cannot (declare|overwrite|mutate|redefine|replace)|Duplicate inline table key")


def _toml(data: bytes) -> Verdict:
    tomllib = import_module("tomllib")
    text = _text(data)
    if text is None:
        return Verdict.REJECTS
    try:
        tomllib.loads(text, parse_float=str)
    except tomllib.TOMLDecodeError as error:
        return Verdict.BEYOND if TOML_KEYS.match(str(error)) else Verdict.REJECTS
    except (ValueError, RecursionError):  # an integer of thousands of digits, deep nesting
        return Verdict.BEYOND
    return Verdict.ACCEPTS


XML_NAMES = {
    expat.errors.codes[text]
    for text in (expat.errors.XML_ERROR_TAG_MISMATCH, expat.errors.XML_ERROR_DUPLICATE_ATTRIBUTE)
}
# Characters of names in the fifth edition of XML 1.0. Expat has those of the fourth.
NAME_CHARACTER = re.compile(
    "[\xb7\xc0-\xd6\xd8-\xf6\xf8-\u037d\u037f-\u1fff\u200c\u200d\u203f\u2040\u2070-\u218f\u2c00-\u2fef\u3001-\ud7ff"
    "\uf900-\ufdcf\ufdf0-\ufffd\U00010000-\U000effff]"
)


def _xml(data: bytes) -> Verdict:
    if _text(data) is None:
        return Verdict.REJECTS
    # (whatever encoding the declaration names: the text is UTF-8 here)
    parser = expat.ParserCreate("utf-8")
    try:
        parser.Parse(data, True)
    except expat.ExpatError as error:
        stopped_at = data[parser.ErrorByteIndex :].decode(errors="replace")[:1]
        is_beyond = error.code in XML_NAMES or NAME_CHARACTER.match(stopped_at)
        return Verdict.BEYOND if is_beyond else Verdict.REJECTS
    return Verdict.ACCEPTS


XML_VERSION = re.compile(rb"<\?xml\s+version\s*=\s*[\"'](?!1\.[0-9]+[\"'])")


def _xml_known(data: bytes) -> str:
    if XML_VERSION.match(data):
        return "a version of XML that is not 1.x"
    if b"<!DOCTYPE" in data and re.search(rb"<!DOCTYPE[^>]*\[|&[\w:]", data):
        return "a document type of its own, or entities that it may define"
    return "a byte order mark" if data.startswith(b"\xef\xbb\xbf") else ""


def _csv(data: bytes) -> Verdict:
    text = _text(data)
    if text is None:
        return Verdict.REJECTS
    csv.field_size_limit(2**31 - 1)
    try:
        list(csv.reader(io.StringIO(text, newline=""), strict=True))
    except csv.Error as error:
        # (before Python 3.11 the reader takes no NUL)
        return Verdict.BEYOND if "NUL" in str(error) else Verdict.REJECTS
    return Verdict.ACCEPTS


CSV_QUOTED = re.compile(rb'(^|(?<=[,\r\n]))"([^"]|"")*"(?=[,\r\n]|$)')


def _csv_known(data: bytes) -> str:
    return "a quote in a field without quotes" if b'"' in CSV_QUOTED.sub(b"", data) else ""


def _ini(data: bytes) -> Verdict:
    text = _text(data)
    if text is None:
        return Verdict.REJECTS
    try:
        configparser.RawConfigParser().read_string(text)
    except (configparser.DuplicateSectionError, configparser.DuplicateOptionError):
        return Verdict.BEYOND
    except configparser.Error:
        return Verdict.REJECTS
    return Verdict.ACCEPTS


def _yaml(data: bytes) -> Verdict:
    yaml = import_module("yaml")
    try:
        yaml.compose(data.decode(), Loader=yaml.SafeLoader)
    except (yaml.YAMLError, UnicodeDecodeError):
        return Verdict.REJECTS
    except RecursionError:
        return Verdict.BEYOND
    return Verdict.ACCEPTS


def _json5(data: bytes) -> Verdict:
    json5 = import_module("json5")
    try:
        json5.loads(data.decode())
    except RecursionError:
        return Verdict.BEYOND
    except ValueError:
        return Verdict.REJECTS
    return Verdict.ACCEPTS


REGEX_BEYOND = re.compile("bad character range|redefinition of group|min repeat greater|cannot use .* as a group name")


def _regex(data: bytes) -> Verdict:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            re.compile(data.decode())
    except re.error as error:
        return Verdict.BEYOND if REGEX_BEYOND.search(str(error)) else Verdict.REJECTS
    except (UnicodeDecodeError, ValueError):
        return Verdict.REJECTS
    except (OverflowError, RecursionError):
        return Verdict.BEYOND
    return Verdict.ACCEPTS


SQL_SYNTAX = re.compile('near "(.*)": syntax error|unrecognized token: "(.*)"|incomplete input', re.DOTALL)
# Two words side by side, or a number and a word, which are one word to SQLite.
SQL_RUN_TOGETHER = re.compile(
    "[0-9.]+[a-z_]|(asc|desc|null|true|false|end|first|last|preceding|following|row|current_(date|time|timestamp))[a-z_0-9]",
    re.IGNORECASE,
)


def _sql(data: bytes) -> Verdict:
    """SQLite reads a whole statement before it looks for its tables."""
    text = _text(data)
    if text is None:
        return Verdict.REJECTS
    if sqlite3.sqlite_version_info < (3, 39):  # without RIGHT JOIN and IS DISTINCT FROM
        return Verdict.BEYOND
    connection = sqlite3.connect(":memory:")
    try:
        connection.execute(text)
    except (sqlite3.Error, sqlite3.Warning, ValueError) as error:
        found = SQL_SYNTAX.search(str(error))
        if not found or SQL_RUN_TOGETHER.match(found[1] or found[2] or ""):
            return Verdict.BEYOND
        return Verdict.REJECTS
    finally:
        connection.close()
    return Verdict.ACCEPTS


# A number and a name side by side, which GraphQL wants apart.
GRAPHQL_RUN_TOGETHER = re.compile("Invalid number, expected digit but got: '[A-Za-z_]'")


def _graphql(data: bytes) -> Verdict:
    graphql = import_module("graphql")
    try:
        graphql.parse(data.decode())
    except graphql.GraphQLError as error:
        return Verdict.BEYOND if GRAPHQL_RUN_TOGETHER.search(str(error)) else Verdict.REJECTS
    except UnicodeDecodeError:
        return Verdict.REJECTS
    except RecursionError:
        return Verdict.BEYOND
    return Verdict.ACCEPTS


GRAPHQL_EMPTY = re.compile(rb"\{([\s,]|#.*)*\}")


def _graphql_known(data: bytes) -> str:
    if GRAPHQL_EMPTY.search(data):
        return "an empty selection, which the standard forbids"
    return "escapes that are newer than the standard of 2021" if b"\\u{" in data else ""


# Reads a program as a JSON string on each line, and writes why it is no script, and why no module; "" if it is one.
NODE = """
const vm = require('vm')
const problem = (read) => { try { read(); return '' } catch (error) { return String(error.message) } }
require('readline').createInterface({ input: process.stdin }).on('line', (line) => {
  const text = JSON.parse(line)
  const script = problem(() => vm.compileFunction(text.replace(/^#!.*/, '')))
  const module = script && problem(() => new vm.SourceTextModule(text))
  console.log(JSON.stringify(module && [script, module]))
})
"""
# Errors of a grammar. All others are about where things may stand, and what they refer to.
JAVASCRIPT_SYNTAX = re.compile(
    "Unexpected (token|identifier|string|number|end|template)|Invalid or unexpected token|missing [)]"
)
# What JavaScript forbids and the grammar does not: a line end before "=>", "++" or "--", and after "return" or "throw";
# "??" beside "||" or "&&"; "++" or "--" for two signs where it cannot stand; a name that runs together with "export
# function" or "export class"; and "<!--", which begins a comment of HTML.
JAVASCRIPT_BEYOND = re.compile(
    rb"\n\s*(=>|[+][+]|--)|\b(return|throw)\s*\n|[?][?]|---|[+][+][+]|[\w)\]]\s*([+][+]|--)\s*[\w(\[]"
    rb"|export\s+(async\s+)?(function|class)\w|<!--"
)


@cache
def _node() -> subprocess.Popen[str]:
    command = ["node", "--no-warnings", "--experimental-vm-modules", "-e", NODE]
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, encoding="utf-8")


def _javascript(data: bytes) -> Verdict:
    text = _text(data)
    if text is None:
        return Verdict.REJECTS
    node = _node()
    assert node.stdin and node.stdout
    node.stdin.write(json.dumps(text) + "\n")
    node.stdin.flush()
    problems = json.loads(node.stdout.readline())
    if not problems:
        return Verdict.ACCEPTS
    is_beyond = not all(map(JAVASCRIPT_SYNTAX.match, problems)) or JAVASCRIPT_BEYOND.search(data)
    return Verdict.BEYOND if is_beyond else Verdict.REJECTS


_JSON_MARKS = b'{}[]:,"\\ \n-+.0123456789eEtruefalsn/'
JUDGES: tuple[Judge, ...] = (
    Judge("json", (".json",), _json, True, _JSON_MARKS),
    Judge("jsonl", (".jsonl", ".ndjson"), _jsonl, True, _JSON_MARKS + b"\r"),
    Judge("toml", (".toml",), _toml, True, b"[]{}=,.\"'\\#\n\r \t-+:_0123456789eTZxobaitnf", module="tomllib"),
    Judge("xml", (".xml", ".svg", ".xsd", ".xhtml"), _xml, True, b"<>/&;#\"'=?![]- \n\ra0:.", _xml_known),
    Judge("csv", (".csv",), _csv, True, b'",\n\r a', _csv_known),
    Judge("ini", (".ini", ".cfg"), _ini, False, b"[]=:#; \t\n\ra"),
    Judge("yaml", (".yaml", ".yml"), _yaml, False, b"-:?,[]{}#&*!|>'\"%@` \n\\.a0", module="yaml"),
    Judge("json5", (".json5",), _json5, False, _JSON_MARKS + b"'/*$_xI\t\r", module="json5"),
    Judge(
        "graphql",
        (".graphql", ".gql"),
        _graphql,
        True,
        b'{}()[]:!=@$|&.,#"\\ \n-0aeE',
        _graphql_known,
        module="graphql",
    ),
    Judge("regex", (), _regex, False, b"\\.*+?()|[]{}^$-,:<>P=!isdDwWbA019a&~"),
    Judge("sql", (".sql",), _sql, False, b"(),.;*=<>|'\"-/ \n+%a0"),
    Judge(
        "javascript",
        (".js", ".mjs", ".cjs"),
        _javascript,
        False,
        b"(){}[].;,<>=!+-*/%&|^~?: \n'\"`$a0_#",
        program="node",
    ),
)


def named(name: str) -> Any:
    """The judge of a grammar."""
    return next(judge for judge in JUDGES if judge.name == name)
