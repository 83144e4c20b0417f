"""The public names: what a user's editor, `help` and `dir` show of them, and how wrong arguments are refused."""

from __future__ import annotations

import ast
import importlib
import inspect
import pydoc
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import ffgrammar as ff

ROOT = Path(__file__).resolve().parent.parent
# Attributes that other parts of the package use.
INTERNAL = {"engine", "grammars", "partitions"}
PUBLIC = {name: getattr(ff, name) for name in ff.__all__ if name != "__version__"}

Parameters = list[tuple[str, str, Any]]


def _attributes(kind: type) -> Iterator[tuple[str, Any]]:
    """The public attributes of a class, as they are stored, without those of Exception and tuple."""
    for name in dir(kind):
        if not (name.startswith("_") or name in INTERNAL or hasattr(Exception, name) or hasattr(tuple, name)):
            yield name, inspect.getattr_static(kind, name)


def test_dir_shows_public_names_only() -> None:
    assert dir(ff) == sorted(ff.__all__)
    assert not {"Any", "annotations", "import_module"} & set(dir(ff))


@pytest.mark.parametrize("name", PUBLIC)
def test_public_names_have_signatures_and_docstrings(name: str) -> None:
    value = PUBLIC[name]
    assert inspect.getdoc(value)
    assert getattr(value, "__name__", name) in pydoc.plain(pydoc.render_doc(value))
    if not (isinstance(value, type) and issubclass(value, Exception)):
        inspect.signature(value)
    if not isinstance(value, type):
        return
    for attribute, stored in _attributes(value):
        own = inspect.getdoc(stored)
        assert own or attribute in (value.__doc__ or ""), f"{name}.{attribute} is not documented"
        if callable(getattr(value, attribute)):
            assert own, f"{name}.{attribute} has no docstring"
            assert not own.startswith(f"{name}.{attribute}("), f"{name}.{attribute}: the signature is told twice"
            inspect.signature(getattr(value, attribute))


# ---- stubs


def _stubs() -> list[Path]:
    return sorted((ROOT / "ffgrammar").rglob("*.pyi"))


def _of_stub(function: ast.FunctionDef) -> Parameters:
    """The parameters of a function of a stub: name, kind, default (literals only, else ...)."""
    arguments = function.args
    plain = [*arguments.posonlyargs, *arguments.args]
    absent = [inspect.Parameter.empty] * (len(plain) - len(arguments.defaults))
    found: Parameters = [
        (one.arg, "plain", default)
        for one, default in zip(plain, [*absent, *map(_literal, arguments.defaults)], strict=True)
    ]
    if arguments.vararg:
        found.append((arguments.vararg.arg, "*", inspect.Parameter.empty))
    for one, node in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True):
        found.append((one.arg, "keyword", inspect.Parameter.empty if node is None else _literal(node)))
    return found


def _literal(node: ast.expr) -> Any:
    return ast.literal_eval(node)


def _of_runtime(function: Callable[..., Any]) -> Parameters:
    kinds = {
        inspect.Parameter.POSITIONAL_ONLY: "plain",
        inspect.Parameter.POSITIONAL_OR_KEYWORD: "plain",
        inspect.Parameter.KEYWORD_ONLY: "keyword",
        inspect.Parameter.VAR_POSITIONAL: "*",
        inspect.Parameter.VAR_KEYWORD: "**",
    }
    return [(one.name, kinds[one.kind], one.default) for one in inspect.signature(function).parameters.values()]


def _assert_same(where: str, stub: Parameters, runtime: Parameters) -> None:
    assert [one[:2] for one in stub] == [one[:2] for one in runtime], where
    for (name, _, shown), (_, _, real) in zip(stub, runtime, strict=True):
        assert shown is ... or shown == real, f"{where}: the default of {name} is {real!r}"


def _is_overload(function: ast.FunctionDef) -> bool:
    return any(isinstance(one, ast.Name) and one.id == "overload" for one in function.decorator_list)


def _check_class(node: ast.ClassDef, kind: type) -> None:
    declared = set()
    for item in node.body:
        if isinstance(item, ast.AnnAssign):
            assert isinstance(item.target, ast.Name)
            declared.add(item.target.id)
        elif isinstance(item, ast.FunctionDef):
            declared.add(item.name)
            where = f"{node.name}.{item.name}"
            if item.name == "__init__":
                if node.name in ff.__all__:
                    _assert_same(where, _of_stub(item)[1:], _of_runtime(kind))
            elif not item.decorator_list and not item.name.startswith("__"):
                _assert_same(where, _of_stub(item), _of_runtime(getattr(kind, item.name)))
    for name in declared - {"__init__"}:
        assert hasattr(kind, name), f"{node.name}.{name} is in the stub only"
    if node.name in ff.__all__:
        # (a stub shows what a class has of bases that have no stub)
        shown = [
            base
            for base in kind.__mro__[1:]
            if base.__name__ in ff.__all__ or not base.__module__.startswith("ffgrammar")
        ]
        inherited = {name for base in shown for name in vars(base)}
        missing = {name for name, _ in _attributes(kind)} - inherited - declared
        assert not missing, f"{node.name}: not in the stub: {missing}"


@pytest.mark.parametrize("path", _stubs(), ids=lambda path: path.relative_to(ROOT / "ffgrammar").as_posix())
def test_stubs_are_what_is_there(path: Path) -> None:
    module = importlib.import_module(".".join(path.relative_to(ROOT).with_suffix("").parts))
    tree = ast.parse(path.read_text(encoding="utf-8"))
    for node in tree.body:
        if isinstance(node, ast.ClassDef):
            _check_class(node, getattr(module, node.name))
        elif isinstance(node, ast.FunctionDef) and not _is_overload(node):
            _assert_same(node.name, _of_stub(node), _of_runtime(getattr(module, node.name)))


def test_the_check_of_stubs_sees_a_difference() -> None:
    (function,) = ast.parse("def fill_bitmask(self, bitmask: Any, index: int = 1) -> None: ...").body
    assert isinstance(function, ast.FunctionDef)
    with pytest.raises(AssertionError, match="the default of index is 0"):
        _assert_same("fill_bitmask", _of_stub(function), _of_runtime(ff.Matcher.fill_bitmask))


# ---- wrong arguments


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda tok: ff.compile_regex("a", "cl100k_base"), "tokenizer must be a Tokenizer .*, not str"),
        (lambda tok: ff.compile_json_schema({}, tok, limits=5), "limits must be Limits, not int"),
        (lambda tok: ff.compile_lark(b"start: A", tok), "text must be a str, not bytes"),
        (lambda tok: ff.compile_regex(["a"], tok), "pattern must be a str, not list"),
        (lambda tok: ff.compile_choice(5, tok), "choices must be a str or a list of texts, not int"),
        (lambda tok: ff.load(b"", "cl100k_base"), "tokenizer must be a Tokenizer, not str"),
        (lambda tok: ff.load(b"", tok, limits={}), "limits must be Limits, not dict"),
        (lambda tok: ff.allocate_bitmask(1, tok), "vocab_size must be an int, not Tokenizer"),
        (lambda tok: ff.allocate_bitmask(1.5, 32), "batch must be an int, not float"),
        (lambda tok: ff.heal("cl100k_base", "a"), "tok must be a Tokenizer, not str"),
        (lambda tok: ff.heal(tok, None), "prompt must be a str, bytes or token ids, not NoneType"),
        (lambda tok: ff.heal(tok, "a", "b"), "grammar must be a Grammar, not str"),
        (lambda tok: ff.is_canonical("cl100k_base", [1]), "tok must be a Tokenizer, not str"),
        (lambda tok: ff.CanonicalityTracker(None), "tok must be a Tokenizer, not NoneType"),
        (lambda tok: ff.IncrementalEncoder(5), "tok must be a Tokenizer, not int"),
        (lambda tok: ff.IncrementalEncoder(tok).append(5), "data must be a str or bytes, not int"),
        (lambda tok: ff.CharacterPrefix(5, "a"), "tok must be a Tokenizer, not int"),
        (lambda tok: ff.CharacterPrefix(tok, 5), "prefix must be a str or bytes, not int"),
        (
            lambda tok: ff.CharacterPrefix(tok, "a", ff.compile_regex("a", tok)),
            "matcher must be a Matcher, not Grammar",
        ),
    ],
)
def test_arguments_of_a_wrong_type_are_named(call: Callable[[Any], Any], message: str, cl100k: Any) -> None:
    with pytest.raises(TypeError, match=message):
        call(cl100k)


def test_a_bitmask_of_a_negative_size_is_refused() -> None:
    for batch, vocab_size in ((-1, 5), (1, -7)):
        with pytest.raises(ValueError, match="must not be negative: -"):
            ff.allocate_bitmask(batch, vocab_size)
