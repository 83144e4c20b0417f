"""What README and docs/ show is what happens: their shell and Python examples run, and their output is compared, except
for times. What they name exists: pages, anchors, files, functions. What is generated from the code is current."""

from __future__ import annotations

import doctest
import functools
import inspect
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

import architecture
import shell_reference

ROOT = Path(__file__).resolve().parent.parent
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md"), *(ROOT / "examples").glob("*.md")])
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
CODE = re.compile(r"`([^`\n]+)`")
# Values that are not compared: times, and the bytes held, which depend on the sizes of the allocator's blocks.
TIMES = re.compile(r"^(\w+_ms|bytes)\t.*$", re.MULTILINE)
FLAGS = doctest.ELLIPSIS | doctest.IGNORE_EXCEPTION_DETAIL


def _name(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def _blocks(path: Path, language: str) -> list[str]:
    return [match[2] for match in BLOCK.finditer(path.read_text(encoding="utf-8")) if match[1] == language]


def _prose(path: Path) -> str:
    """A page without its code blocks."""
    return BLOCK.sub("", path.read_text(encoding="utf-8"))


def _run(command: str, env: dict[str, str]) -> str:
    found = subprocess.run(
        ["bash", "-c", command],
        env=env,
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=60,
    )
    return found.stdout


def _assert_shown(command: str, shown: str, got: str) -> None:
    wanted, printed = (TIMES.sub(r"\1", text.strip()) for text in (shown, got))
    assert wanted == printed, f"the documentation shows another output of {command}"


# ---- examples


def _console_examples() -> Iterator[tuple[str, str]]:
    for path in PAGES:
        for block in _blocks(path, "console"):
            for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
                command, _, shown = part.partition("\n")
                yield command, shown


@pytest.mark.parametrize(
    ("command", "shown"), list(_console_examples()), ids=lambda value: value.partition("\n")[0][:60]
)
def test_shell_examples(command: str, shown: str, shell_env: dict[str, str]) -> None:
    _assert_shown(command, shown, _run(command, shell_env))


def test_the_demo_prints_what_is_shown(shell_env: dict[str, str]) -> None:
    """The commands of `make demo`, without its set-up: make echoes each and then its output follows."""
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    recipe = re.search(r"^demo: [^\n]*##[^\n]*\n((?:\t[^\n]*\n)+)", makefile, re.MULTILINE)
    assert recipe
    commands = [line.strip().replace("$$", "$") for line in recipe[1].splitlines()]
    (shown,) = [block for path in PAGES for block in _blocks(path, "demo")]
    got = "".join(f"{command}\n{_run(command, shell_env)}" for command in commands)
    _assert_shown("make demo", shown, got)


@pytest.mark.parametrize("path", [path for path in PAGES if _blocks(path, "pycon")], ids=_name)
def test_python_examples(path: Path) -> None:
    name = _name(path)
    examples = doctest.DocTestParser().get_doctest("\n".join(_blocks(path, "pycon")), {}, name, name, 0)
    assert examples.examples
    report: list[str] = []
    doctest.DocTestRunner(optionflags=FLAGS).run(examples, out=report.append)
    assert not report, "".join(report)


def test_examples_are_of_a_kind_that_is_run() -> None:
    kinds = {match[1] for path in PAGES for match in BLOCK.finditer(path.read_text(encoding="utf-8"))}
    # (tests/models runs those of the kind "python": they need a model)
    assert kinds <= {"console", "demo", "pycon", "python", "text"}


# ---- what is named exists


def _slug(heading: str) -> str:
    return re.sub(r"[\s-]+", "-", re.sub(r"[^\w\s-]", "", heading.replace("`", "")).strip().lower())


def _anchors(path: Path) -> set[str]:
    return {_slug(match[1]) for match in re.finditer(r"^#+ (.*)$", _prose(path), re.MULTILINE)}


@pytest.mark.parametrize("path", PAGES, ids=_name)
def test_links_lead_somewhere(path: Path) -> None:
    for target in re.findall(r"\]\(([^)\s]+)\)", _prose(path)):
        if ":" in target:
            continue
        page, _, anchor = target.partition("#")
        found = (path.parent / page).resolve() if page else path
        assert found.exists(), f"{_name(path)}: {target}"
        assert not anchor or anchor in _anchors(found), f"{_name(path)}: {target}"


# A file of the repository, by its path from the root or from ffgrammar/; and a function or a class in it.
SOURCE = re.compile(r"^((?:[\w.-]+/)+[\w.-]+\.(?:py|pyx|pxd|pyi|md|json|lark|sh|toml|yml|yaml))(?:::(\w+))?$")


def _mentioned(path: Path) -> Iterator[tuple[str, str | None]]:
    for code in CODE.findall(_prose(path)):
        match = SOURCE.match(code)
        if match:
            yield match[1], match[2]


@functools.cache
def _definitions(path: Path) -> set[str]:
    """What a source defines: functions, classes, structs."""
    text = path.read_text(encoding="utf-8")
    found = re.findall(r"^\s*(?:async )?(?:def|class|cpdef|cdef(?: \w+)*?)\s[^\n=]*?(\w+)\s*\(", text, re.MULTILINE)
    return {*found, *re.findall(r"^\s*(?:cdef )?(?:class|struct|enum) (\w+)", text, re.MULTILINE)}


@pytest.mark.parametrize("path", [path for path in PAGES if any(_mentioned(path))], ids=_name)
def test_sources_that_are_named_exist(path: Path) -> None:
    for name, definition in _mentioned(path):
        found = [base / name for base in (ROOT, ROOT / "ffgrammar") if (base / name).exists()]
        assert found, f"{_name(path)} names {name}"
        assert definition is None or definition in _definitions(found[0]), f"{_name(path)} names {name}::{definition}"


def test_functions_that_are_not_there_are_found(tmp_path: Path) -> None:
    source = tmp_path / "a.pyx"
    source.write_text("cdef int one(int a) noexcept nogil:\n    two(a)\ncdef class Three:\n    def four(self): pass\n")
    assert _definitions(source) == {"one", "Three", "four"}


# ---- what is made of the code


def test_the_picture_of_the_architecture_is_current() -> None:
    assert architecture.PICTURE.read_text(encoding="utf-8") == architecture.svg(), "run `make architecture`"


def test_the_picture_says_what_is_imported() -> None:
    """Lines that are left out follow from the others."""
    graph = {"a": {"b", "c"}, "b": {"c", "d"}, "c": {"d"}, "d": set[str]()}
    assert architecture.reduced(graph) == {"a": {"b"}, "b": {"c"}, "c": {"d"}, "d": set()}
    rooms = architecture.rooms()
    lines = architecture.reduced(rooms)
    assert all(architecture.reachable(lines, room) == architecture.reachable(rooms, room) for room in rooms)


def test_the_reference_of_the_shell_is_current() -> None:
    page = shell_reference.PAGE.read_text(encoding="utf-8")
    assert shell_reference.with_reference(page) == page, "run `make reference`"


# ---- what pages say of JSON Schema


def test_schemas_have_the_same_options_everywhere(shell_env: dict[str, str]) -> None:
    import ffgrammar as ff
    from ffgrammar.grammar.json_schema import build

    page = (ROOT / "docs" / "json-schema.md").read_text(encoding="utf-8")
    shown = dict(re.findall(r"^\| `(\w+)` \| `--([\w-]+)` \|", page, re.MULTILINE))
    assert shown and all(flag == name.replace("_", "-") for name, flag in shown.items())
    for function in (ff.compile_json_schema, build):
        parameters = inspect.signature(function).parameters.values()
        options = {one.name: one.default for one in parameters if one.kind is one.KEYWORD_ONLY and one.name != "limits"}
        assert options.keys() == shown.keys()
        assert all(f"{name}: " in (ff.compile_json_schema.__doc__ or "") for name in options)
        defaults = dict(re.findall(r"^\| `(\w+)` \| .* \| (\w+) \|$", page, re.MULTILINE))
        assert {name: value for name, value in options.items() if value is not None} == defaults
    help_text = _run("ffgrammar compile --help", shell_env)
    assert all(f"--{flag} " in help_text for flag in shown.values())


def test_the_formats_that_are_listed_are_enforced() -> None:
    import ffgrammar as ff

    tok = ff.Tokenizer.from_tokens([bytes([value]) for value in range(256)])
    page = (ROOT / "docs" / "json-schema.md").read_text(encoding="utf-8")
    listed = re.search(r"^These are enforced: (.*?)\.$", page, re.MULTILINE | re.DOTALL)
    assert listed
    formats = CODE.findall(listed[1])
    assert len(formats) == len(set(formats)) == 19
    for name in formats:
        warnings = ff.compile_json_schema({"type": "string", "format": name}, tok).warnings
        assert not any("unknown" in line for line in warnings), name


# ---- pages as such


# Versions, and commands that share options, are told of in the same words.
REPETITIVE = ("CHANGELOG.md", "shell.md")


@pytest.mark.parametrize("path", [path for path in PAGES if path.name not in REPETITIVE], ids=lambda path: path.name)
def test_no_paragraph_is_there_twice(path: Path) -> None:
    """An edit that goes wrong doubles parts of a page."""
    parts = [part for part in path.read_text(encoding="utf-8").split("\n\n") if len(part) > 120 and part[0].isalpha()]
    assert len(parts) == len(set(parts))
    sections = re.findall(r"^## .*$", _prose(path), re.MULTILINE)
    assert len(sections) == len(set(sections))


def test_readme_is_short() -> None:
    assert len((ROOT / "README.md").read_text(encoding="utf-8").splitlines()) <= 150


def test_every_page_is_in_the_navigation() -> None:
    listed = re.findall(r"[\w-]+\.md", (ROOT / "mkdocs.yml").read_text(encoding="utf-8"))
    assert sorted(listed) == sorted(path.name for path in (ROOT / "docs").glob("*.md"))


def test_public_names_are_documented() -> None:
    """Each public name has a docstring, and the guide or another page mentions it."""
    import ffgrammar as ff

    text = "".join(path.read_text(encoding="utf-8") for path in PAGES)
    for name in ff.__all__:
        assert (getattr(ff, name).__doc__ or "").strip(), name
        assert re.search(rf"\b{name}\b", text), f"no page mentions {name}"


def test_hooks_run_the_linters_of_make() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    recipe = re.search(r"^lint: [^\n]*##[^\n]*\n((?:\t[^\n]*\n)+)", makefile, re.MULTILINE)
    assert recipe
    hooks = (ROOT / ".pre-commit-config.yaml").read_text(encoding="utf-8")
    for linter in {line.split()[0] for line in recipe[1].splitlines()}:
        assert re.search(rf"entry: .*\b{linter}\b", hooks), f"no hook runs {linter}"


def _targets() -> set[str]:
    """The targets of make that `make help` explains."""
    return set(re.findall(r"^([a-z-]+):.*##", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))


def test_help_lists_every_target_of_make() -> None:
    phony = re.search(r"^\.PHONY: (.*)$", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)
    assert phony
    assert set(phony[1].split()) == _targets()


def test_targets_of_make_that_are_named_exist() -> None:
    scripts = [ROOT / ".ci" / "run", *(ROOT / ".github" / "workflows").glob("*.yml"), *PAGES]
    named = {
        (_name(path), target)
        for path in scripts
        for target in re.findall(r"(?:^|`|run: |&& )make ([a-z-]+)", path.read_text(encoding="utf-8"), re.MULTILINE)
    }
    assert {target for _, target in named} >= {"test", "lint", "docs"}
    assert not {(name, target) for name, target in named if target not in _targets()}
