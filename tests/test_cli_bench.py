"""`ffgrammar bench`: what it reads, what it reports, what it needs. (MaskBench's verdicts are in test_maskbench.)"""

from __future__ import annotations

import gzip
import json
import shutil
import subprocess
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

import ffgrammar as ff
from ffgrammar_cli.bench import batch, large
from ffgrammar_cli.bench.curves import COLUMNS
from ffgrammar_cli.bench.data import load_schemas
from ffgrammar_cli.bench.engines import ENGINES
from ffgrammar_cli.bench.micro import LABELS
from ffgrammar_cli.options import VocabularyName

GRAMMARS = Path(__file__).resolve().parent.parent / "grammars"
SCHEMAS = sorted(path for path in GRAMMARS.glob("*.json") if not path.name.endswith(".tag.json"))
LINE = {
    "id": "one",
    "schema": {"type": "object", "properties": {"a": {"type": "integer"}}, "required": ["a"]},
    "tests": [{"data": {"a": 1}, "valid": True}, {"data": {"a": "x"}, "valid": False}],
}
# With another verdict than the schema's.
WRONG = {**LINE, "id": "wrong", "tests": [{"data": {"a": "x"}, "valid": True}, {"data": {"a": 1}, "valid": False}]}
REFUSED = {"id": "refused", "schema": {"type": "strin"}, "tests": []}

Run = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def bench(shell_env: dict[str, str], tmp_path: Path) -> Run:
    """`ffgrammar bench` as a process, in a directory of its own."""

    def run(*arguments: str | Path, **env: str) -> subprocess.CompletedProcess[str]:
        command = ["ffgrammar", "bench", *map(str, arguments)]
        return subprocess.run(
            command, env={**shell_env, **env}, cwd=tmp_path, stdin=subprocess.DEVNULL, capture_output=True, text=True
        )

    return run


def _lines(path: Path, *records: Any) -> Path:
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    return path


@pytest.fixture
def schemas(tmp_path: Path) -> Path:
    """The schemas of grammars/ with their samples, without its other grammars."""
    folder = tmp_path / "schemas"
    folder.mkdir()
    for path in SCHEMAS:
        shutil.copy(path, folder)
        shutil.copy(path.with_suffix(".samples.ndjson"), folder)
    return folder


def test_a_run_on_schemas(bench: Run, schemas: Path, tmp_path: Path) -> None:
    found = bench(schemas, "--engines", "ffgrammar", "--json", "-o", "report.json")
    assert (found.returncode, found.stderr) == (0, "")
    report = json.loads(found.stdout)
    assert json.loads((tmp_path / "report.json").read_text()) == report
    assert set(report) == {"data", "tokenizer", "schemas", "engines", "ratios", "memory"}
    names = [path.name for path in SCHEMAS]
    assert report["schemas"] == len(names)
    ours = report["engines"]["ffgrammar"]
    assert ours["verdicts"]["pass"] == len(names), ours["not_passed"]
    assert ours["documents_right"] == ours["documents"] >= 20 * len(names)
    assert sorted(ours["slowest"]["first_mask"]) == names
    for times in (ours["tbm_us"], ours["ttfm_us"]):
        assert 0 < times["p50"] <= times["p90"] <= times["p99"] <= times["p99.9"] <= times["max"]
        assert times["avg"] <= times["max"]
    for spelling in ("spaced", "compact"):
        assert 0 < ours["forced"][spelling]["forced"] < ours["forced"][spelling]["tokens"]
        assert ours["forced"][spelling]["not_canonical"] == []
    assert 0 < ours["ready_ms"] < 10_000
    assert report["ratios"] == {}
    if Path("/proc/self/status").exists():
        assert 0 < report["memory"]["ffgrammar"]["tokenizer"] < report["memory"]["ffgrammar"]["peak"] < 1000


def test_peers_take_turns(bench: Run, schemas: Path) -> None:
    if not find_spec("llguidance"):
        pytest.skip("llguidance is not installed")
    found = bench(schemas, "--engines", "ffgrammar,llguidance", "--json")
    assert (found.returncode, found.stderr) == (0, "")
    report = json.loads(found.stdout)
    assert list(report["engines"]) == ["ffgrammar", "llguidance"]
    ratio = report["ratios"]["ffgrammar/llguidance"]
    assert ratio["schemas"] <= report["schemas"]
    assert ratio["tbm"].keys() == ratio["ttfm"].keys() == report["engines"]["ffgrammar"]["tbm_us"].keys()
    ready = [report["engines"][name]["ready_ms"] for name in report["engines"]]
    assert ratio["ready"] == pytest.approx(ready[0] / ready[1], abs=0.01)
    table = bench(schemas, "--engines", "ffgrammar,llguidance", "--no-memory", "--no-forced").stdout
    assert "wrong accept" in table and "TTFM p99.9 (us)" in table and "tokenizer ready" in table


def _add_language(folder: Path, name: str, grammar: str, *texts: str) -> None:
    (folder / "texts").mkdir(exist_ok=True)
    (folder / f"{name}.lark").write_text(grammar)
    _lines(folder / "texts" / f"{name}.ndjson", *({"text": text} for text in texts))


def test_a_folder_may_have_both_schemas_and_lark_grammars(bench: Run, schemas: Path) -> None:
    _add_language(schemas, "list", 'start: "[" /[a-z]+/ ("," /[a-z]+/)* "]"', "[a]", "[ab,cd]")
    found = bench(schemas, "--engines", "ffgrammar", "--no-memory", "--no-forced", "--json")
    assert (found.returncode, found.stderr) == (0, "")
    report = json.loads(found.stdout)
    assert report["schemas"] == len(list(schemas.glob("*.json")))
    ours = report["languages"]["grammars"]["list.lark"]["engines"]["ffgrammar"]
    assert (ours["refused"], ours["problems"], report["languages"]["all"]["ratios"]) == (0, [], {})
    one = bench(schemas, "--engines", "ffgrammar", "--only", ".lark")
    assert (one.returncode, one.stderr) == (0, "")
    assert "1 Lark grammar: ffgrammar" in one.stdout and "schemas" not in one.stdout


def test_a_peer_reads_lark_grammars_as_we_do(bench: Run, tmp_path: Path) -> None:
    if not find_spec("llguidance"):
        pytest.skip("llguidance is not installed")
    folder = tmp_path / "languages"
    folder.mkdir()
    # White space may come first, which llguidance must be told.
    _add_language(folder, "sum", 'start: /[0-9]+/ ("+" /[0-9]+/)* ";"\n%ignore / +/', " 1 + 22;", "3+4;")
    # No line ends, so nothing can follow a comment. A peer that does not look so far allows one.
    _add_language(folder, "dead", 'start: "[" /[a-z]/+ "]"\n%ignore /#[^\\n]*/', "[a]")
    found = bench(folder, "--engines", "ffgrammar,llguidance", "--json")
    assert (found.returncode, found.stderr) == (0, "")
    rows = json.loads(found.stdout)["languages"]["grammars"]
    alike, other = (rows[name]["ratios"]["ffgrammar/llguidance"] for name in ("sum.lark", "dead.lark"))
    assert alike["grammars"] == 1 and alike["differing"] == 0 < alike["masks"]
    assert 0 < other["differing"] <= other["masks"]
    only = other["examples"][0]["only"]
    assert only["ffgrammar"]["tokens"] == 0 and all("#" in text for text in only["llguidance"]["some"])


def test_lark_grammars_need_an_engine_that_reads_them(bench: Run, tmp_path: Path) -> None:
    if not find_spec("xgrammar"):
        pytest.skip("xgrammar is not installed")
    folder = tmp_path / "languages"
    folder.mkdir()
    _add_language(folder, "x", 'start: "x"', "x")
    found = bench(folder, "--engines", "xgrammar")
    assert (found.returncode, found.stdout) == (2, "")
    assert "none of these reads Lark grammars" in found.stderr


def test_a_peer_has_the_same_vocabulary() -> None:
    llguidance = pytest.importorskip("llguidance")
    engine: Any = ENGINES["llguidance"](VocabularyName("cl100k_base"))
    engine.load()
    ours = ff.Tokenizer.from_tiktoken("cl100k_base")
    assert isinstance(engine.tokenizer, llguidance.LLTokenizer)
    assert engine.tokenizer.vocab_size == ours.vocab_size
    assert engine.tokenizer.eos_tokens == list(ours.eos_token_ids)
    for token in range(ours.vocab_size):
        if ours.is_special(token):
            assert engine.tokenizer.is_special_token(token)
        elif ours.token_bytes(token) not in (b"", b"\xff"):  # for llguidance that byte marks special tokens
            assert engine.tokenizer.decode_bytes([token]) == ours.token_bytes(token)
    text = '{"name": "Zoë 日本", "n": 12345}'
    assert engine.tokenizer.tokenize_str(text) == engine.encode(text) == ours.encode(text)


def test_what_is_not_installed_is_left_out_and_named(bench: Run, tmp_path: Path) -> None:
    data = _lines(tmp_path / "data.jsonl", LINE)
    missing = [name for name in ENGINES if not find_spec(name)]
    found = bench(data, "--no-memory", "--no-forced")
    assert found.returncode == 0
    assert found.stderr.splitlines() == [f"ffgrammar: {name} is not installed: left out" for name in missing]
    for name in missing:
        assert bench(data, "--engines", name).returncode == 2


def test_verdicts(bench: Run, tmp_path: Path) -> None:
    data = _lines(tmp_path / "data.jsonl", LINE, WRONG, REFUSED)
    found = bench(data, "--engines", "ffgrammar", "--no-memory", "--json")
    verdicts = json.loads(found.stdout)["engines"]["ffgrammar"]["verdicts"]
    assert {name: count for name, count in verdicts.items() if count} == {"pass": 1, "wrong accept": 1, "refused": 1}


def test_schemas_can_be_chosen(tmp_path: Path) -> None:
    data = tmp_path / "data.jsonl.gz"
    data.write_bytes(gzip.compress("".join(json.dumps({**LINE, "id": f"s{n}"}) + "\n" for n in range(20)).encode()))

    def ids(**selection: Any) -> list[str]:
        return [schema.id for schema in load_schemas(data, **selection)]

    assert ids() == [f"s{n}" for n in range(20)]
    assert ids(limit=2) == ["s0", "s1"]
    assert ids(only="s1", limit=3) == ["s1", "s10", "s11"]
    assert len(ids(sample=5, seed=1)) == 5
    assert ids(sample=5, seed=1) == ids(sample=5, seed=1) != ids(sample=5, seed=2)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("{}\n", "data.jsonl, line 1: "),
        (json.dumps(LINE) + "\n\n{broken\n", "data.jsonl, line 3: "),
        (json.dumps({**LINE, "tests": [{"valid": True}]}) + "\n", "data.jsonl, line 1: "),
        ("[1]\n", "data.jsonl, line 1: "),
        ("[" * 100_000, "data.jsonl, line 1: "),
        ("", "data.jsonl: no schemas"),
        (b"\x1f\x8bnothing", "data.jsonl: "),
        (gzip.compress(json.dumps(LINE).encode())[:-9], "data.jsonl: "),
    ],
)
def test_broken_data_is_named(bench: Run, tmp_path: Path, content: str | bytes, message: str) -> None:
    (tmp_path / "data.jsonl").write_bytes(content.encode() if isinstance(content, str) else content)
    found = bench("data.jsonl", "--engines", "ffgrammar")
    assert (found.returncode, found.stdout) == (2, "")
    assert found.stderr.startswith(f"ffgrammar: {message}"), found.stderr


def test_bad_arguments(bench: Run, tmp_path: Path) -> None:
    data = _lines(tmp_path / "data.jsonl", LINE)
    (tmp_path / "empty").mkdir()
    (tmp_path / "bad").mkdir()
    (tmp_path / "bad" / "a.json").write_text("{}")
    _lines(tmp_path / "bad" / "a.samples.ndjson", {"text": "{}", "valid": True}, {"text": 1, "valid": True})
    for arguments, message in [
        ([], "DATA is missing"),
        (["--batch", "2", "--large"], "DATA is missing"),
        ([data, "--batch", "1"], "--batch"),
        ([data, "--batch", "2", "--plot", "out.svg"], "--plot"),
        (["nowhere.jsonl"], "nowhere.jsonl: No such file"),
        (["empty"], "empty: no schemas"),
        (["bad"], "bad/a.samples.ndjson, line 2: "),
        ([data, "--only", "nothing"], "no schemas here with 'nothing'"),
        ([data, "--engines", "another"], "--engines another"),
        ([data, "-o", "no/such/folder.json"], "no/such/folder.json"),
        ([data, "--limit", "0"], "--limit"),
        ([data, "--tokenizer", "another"], "'another' is not embedded"),
    ]:
        found = bench(*arguments, *([] if "--engines" in arguments else ["--engines", "ffgrammar"]))
        assert (found.returncode, found.stdout) == (2, "")
        assert message in found.stderr and "Traceback" not in found.stderr


def test_a_plot(bench: Run, tmp_path: Path) -> None:
    data = _lines(tmp_path / "data.jsonl", LINE)
    found = bench(data, "--engines", "ffgrammar", "--no-memory", "--plot", "out.svg")
    assert found.returncode == 0, found.stderr
    picture = (tmp_path / "out.svg").read_text()
    assert "<svg" in picture and "ffgrammar" in picture


def test_large_schemas(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(large, "TOKENS", 20)
    monkeypatch.setattr(
        large,
        "_schemas",
        lambda random: iter([("small", large._nested(random, 1)), ("flat", large._nested(random, 0))]),
    )
    rows = large.measure(VocabularyName("cl100k_base"))
    assert [(row["schema"], row["property_order"]) for row in rows] == [
        (name, order) for name in ("small", "flat") for order in ("schema", "any")
    ]
    assert all(row["compile_ms"] > 0 and row["slowest_mask_ms"] > 0 for row in rows)
    assert len(large.table(rows)) == 2 + len(rows)


def test_a_batch(
    cli_module: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """In this process, with fewer runs."""
    monkeypatch.setattr(batch, "RUNS", 3)
    numbers = {"type": "array", "items": {"type": "integer"}}
    texts = {"type": "array", "items": {"type": "string"}}
    data = _lines(
        tmp_path / "data.jsonl",
        {"id": "numbers", "schema": numbers, "tests": [{"data": list(range(50)), "valid": True}]},
        {"id": "texts", "schema": texts, "tests": [{"data": ["a text"] * 400, "valid": True}]},
    )
    assert cli_module.run(["bench", str(data), "--batch", "2", "--json"]) == 0
    found = capsys.readouterr()
    assert found.err == ""
    report = json.loads(found.out)
    assert report.keys() == {"batch"}
    assert [row["name"].split()[0] for row in report["batch"]] == ["(a)", "(a)", "(b)", "(c)"]
    for row in report["batch"]:
        low, high = row["ratio_quartiles"]
        assert (row["batch"], row["threads"]) == (2, 2)
        assert 0 < low <= row["ratio"] <= high and row["one_ms"] > 0 < row["several_ms"]


def test_a_batch_needs_long_documents(bench: Run, tmp_path: Path) -> None:
    found = bench(_lines(tmp_path / "data.jsonl", LINE), "--batch", "2")
    assert (found.returncode, found.stdout) == (2, "")
    assert "no valid document has 60 tokens" in found.stderr


def test_single_calls_and_curves(bench: Run) -> None:
    found = bench("--micro", "--json")
    assert (found.returncode, found.stderr) == (0, "")
    report = json.loads(found.stdout)
    assert report.keys() == {"micro", "curves"}
    assert report["micro"].keys() == LABELS.keys()
    assert all(value > 0 for value in report["micro"].values())
    # The walk visits nodes of a trie that has more than a node for every second token.
    assert report["micro"]["trie_nodes"] > 50_000
    for rows in report["curves"].values():
        assert [row["size"] for row in rows] == sorted(row["size"] for row in rows)
        assert all(row.keys() == {"size", *COLUMNS} and min(row.values()) > 0 for row in rows)
