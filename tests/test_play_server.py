"""The playground's server: who may ask, what is served, and that it runs. (tests/page drives the page in a browser.)"""

from __future__ import annotations

import asyncio
import hashlib
import json
import os
import re
import socket
import subprocess
import urllib.request
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

import ffgrammar as ff
from ffgrammar import play

pytest.importorskip("starlette", reason="the playground's server is not tested: pip install 'ffgrammar[play]'")
pytest.importorskip("uvicorn", reason="the playground's server is not tested: pip install 'ffgrammar[play]'")
pytest.importorskip("httpx", reason="the playground's server is not tested: pip install httpx")

from starlette.testclient import TestClient

from cli_package import CLI
from ffgrammar.play.bounds import MAX_BODY
from ffgrammar.play.server import ASSETS, PlayServer

TOKEN = "secret"
HOST = "127.0.0.1:8123"
FOLDER = Path(play.__file__).parent
SOURCES = Path(__file__).resolve().parent.parent / "ffgrammar" / "play"
FIELDS = {"kind": "regex", "source": "[a-c]+", "text": "ab"}


@pytest.fixture(scope="module")
def client(cl100k: ff.Tokenizer) -> TestClient:
    server = PlayServer(play.Desk({"cl100k_base": cl100k}), TOKEN, (HOST,))
    return TestClient(server, base_url=f"http://{HOST}", follow_redirects=False)


def _post(client: TestClient, name: str, values: Any, **headers: str) -> Any:
    return client.post(f"/{TOKEN}/ask/{name}", json=values, headers=headers)


def test_the_page_and_its_files(client: TestClient) -> None:
    for name, (file, media_type) in ASSETS.items():
        found = client.get(f"/{TOKEN}/{name}")
        assert (found.status_code, found.headers["content-type"]) == (200, media_type), name
        assert (
            found.headers["x-content-type-options"] == "nosniff" and found.headers["referrer-policy"] == "no-referrer"
        )
        if file != "index.html":
            assert found.content == (FOLDER / "assets" / file).read_bytes()
    assert client.get(f"/{TOKEN}").headers["location"] == f"/{TOKEN}/"


def test_the_page_has_no_inline_scripts_and_a_policy(client: TestClient) -> None:
    one, other = (client.get(f"/{TOKEN}/") for _ in range(2))
    policy = one.headers["content-security-policy"]
    assert "default-src 'none'" in policy and "script-src 'self';" in policy and "frame-ancestors 'none'" in policy
    nonce = re.search(r"'nonce-([\w-]+)'", policy)
    assert nonce and f'content="{nonce[1]}"' in one.text
    assert one.text != other.text, "each page has a nonce of its own"
    assert not re.search(r"<script(?![^>]*\bsrc=)|\bon\w+=|javascript:|<style|\sstyle=", one.text)


def test_no_text_becomes_html() -> None:
    for path in sorted((FOLDER / "assets").glob("*.js")):
        if path.name != "editor.js":
            text = path.read_text(encoding="utf-8")
            assert not re.search(
                r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function", text
            ), path.name


def test_every_file_is_served_or_is_no_asset() -> None:
    assert {file for file, _ in ASSETS.values()} == {path.name for path in (FOLDER / "assets").iterdir()}


def test_answers(client: TestClient) -> None:
    found = _post(client, "text", FIELDS)
    assert found.status_code == 200 and found.json()["codes"] == "c"
    assert _post(client, "text", {"kind": "regex", "source": "("}).json()["error"]["kind"] == "GrammarError"


@pytest.mark.parametrize(
    "headers",
    [
        {"host": "evil.example"},
        {"host": "evil.example:8123"},
        {"host": "127.0.0.1"},
        {"host": ""},
        {"origin": "http://evil.example"},
        {"origin": "null"},
        {"origin": "https://127.0.0.1:8123"},
        {"sec-fetch-site": "cross-site"},
        {"sec-fetch-site": "same-site"},
    ],
)
def test_other_hosts_and_pages_get_nothing(client: TestClient, headers: dict[str, str]) -> None:
    assert client.get(f"/{TOKEN}/", headers=headers).status_code == 421
    found = _post(client, "text", FIELDS, **headers)
    assert found.status_code == 421 and "codes" not in found.text


def test_the_own_page_may_ask(client: TestClient) -> None:
    headers = {"origin": f"http://{HOST}", "sec-fetch-site": "same-origin"}
    assert _post(client, "text", FIELDS, **headers).status_code == 200


@pytest.mark.parametrize("path", ["/", "/wrong/", "/secre/", "/secret2/", "//", "/%00/", "/wrong/ask/text"])
def test_without_the_token_nothing_is_served(client: TestClient, path: str) -> None:
    assert client.get(path).status_code == 403
    assert client.post(path, json=FIELDS).status_code == 403


@pytest.mark.parametrize(
    "path",
    [
        "../desk.py",
        "..%2fdesk.py",
        "%2e%2e/desk.py",
        "....//desk.py",
        "/etc/passwd",
        "assets/main.js",
        "main.js/",
        "main.js%00",
        "index.html",
        "bundle/package.json",
        "\\..\\desk.py",
    ],
)
def test_paths_lead_nowhere_else(client: TestClient, path: str) -> None:
    assert client.get(f"/{TOKEN}/{path}").status_code in (403, 404)


def test_requests_of_a_wrong_form(client: TestClient) -> None:
    url = f"/{TOKEN}/ask/text"
    assert client.get(url).status_code == 405
    assert client.post(url, content=json.dumps(FIELDS)).status_code == 405, "a form of another page could send this"
    assert client.post(f"/{TOKEN}/", json={}).status_code == 405
    assert _post(client, "nothing", {}).status_code == 404
    json_type = {"content-type": "application/json"}
    for body in (b"", b"{", b"\xff", b"[" * 100_000, b'"x"'):
        found = client.post(url, content=body, headers=json_type)
        assert found.status_code == 200 and found.json()["error"]["kind"] == "BadRequest"
    assert client.post(url, content=b" " * (MAX_BODY + 1), headers=json_type).status_code == 413


def test_a_source_that_takes_long_does_not_stall_others(client: TestClient) -> None:
    """While one request works, another is answered."""
    import threading

    slow = {"kind": "regex", "source": "(?:" + "|".join(f"a{{{n}}}b?" for n in range(300)) + "){1,400}", "text": "a"}
    found: list[Any] = []
    working = threading.Thread(target=lambda: found.append(_post(client, "text", slow)))
    working.start()
    assert _post(client, "text", FIELDS).status_code == 200
    working.join(timeout=30)
    assert found and found[0].status_code == 200


def test_the_command_serves_the_page(tmp_path: Path, shell_env: dict[str, str]) -> None:
    grammar = tmp_path / "letters.regex"
    grammar.write_text("[a-c]+\n")
    command = ["ffgrammar", "play", str(grammar), "--text", "ab"]
    with subprocess.Popen(command, env=shell_env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            address = process.stdout.readline().strip()
            assert re.fullmatch(r"http://127\.0\.0\.1:\d+/[\w-]{20,}/", address)
            with urllib.request.urlopen(address) as response:
                assert b"<title>ffgrammar playground</title>" in response.read()
            request = urllib.request.Request(f"{address}ask/start", b"{}", {"Content-Type": "application/json"})
            with urllib.request.urlopen(request) as response:
                opening = json.load(response)["opening"]
            assert opening == {"kind": "regex", "source": "[a-c]+\n", "text": "ab"}
        finally:
            process.terminate()


def _play(env: dict[str, str], folder: Path, *arguments: str, **more: str) -> subprocess.CompletedProcess[str]:
    command = ["ffgrammar", "play", *arguments]
    return subprocess.run(command, env={**env, **more}, cwd=folder, capture_output=True, text=True, timeout=60)


def test_what_cannot_be_served_is_told_at_the_start(tmp_path: Path, shell_env: dict[str, str]) -> None:
    (tmp_path / "tools.json").write_text("[]")
    (tmp_path / "bytes.regex").write_bytes(b"\xff")
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        for arguments, code, said in (
            (["--port", port], 2, f"port {port} of 127.0.0.1"),
            (["missing.json"], 2, "missing.json"),
            (["tools.json", "--type", "tools"], 2, "no page for the kind tools; `ffgrammar compile --emit lark`"),
            (["--text", "a"], 2, "--text and --type are for a GRAMMAR"),
            (["bytes.regex"], 3, "not UTF-8"),
            (["--tokenizer", "missing"], 2, "missing"),
            (["--model", "missing.gguf"], 2, "missing.gguf"),
        ):
            found = _play(shell_env, tmp_path, *arguments)
            assert (found.returncode, found.stdout) == (code, "") and said in found.stderr, found.stderr


def test_the_page_has_every_other_kind() -> None:
    from ffgrammar.play.sources import KINDS

    kinds = import_module(f"{CLI}.options").KINDS
    assert set(kinds) == {*KINDS, *import_module(f"{CLI}.play").NOT_SHOWN}


def test_without_the_extra_the_command_says_what_to_install(tmp_path: Path, shell_env: dict[str, str]) -> None:
    (tmp_path / "sitecustomize.py").write_text("import sys; sys.modules['starlette'] = None\n")
    path = os.pathsep.join(filter(None, [str(tmp_path), os.environ.get("PYTHONPATH")]))
    found = _play(shell_env, tmp_path, PYTHONPATH=path)
    assert found.returncode == 2 and "pip install 'ffgrammar[play]'" in found.stderr


def test_the_bundled_editor_is_of_these_sources() -> None:
    """`make page` writes the bundle. It is committed, so that nothing but the page's tests needs node."""
    digest = hashlib.sha256()
    for name in ("package-lock.json", "build.mjs", "editor.js", "modes.js"):
        digest.update((SOURCES / "bundle" / name).read_bytes())
    first = (SOURCES / "assets" / "editor.js").read_text(encoding="utf-8").partition("\n")[0]
    assert first == f"// made of {digest.hexdigest()}", "run `make page`"


def test_the_lock_file_names_no_registry() -> None:
    locked = (SOURCES / "bundle" / "package-lock.json").read_text(encoding="utf-8")
    assert "resolved" not in locked and "://" not in re.sub(r'"url": "[^"]*"', "", locked)
    packages = [one for one in json.loads(locked)["packages"].values() if "version" in one]
    assert packages and all(one.get("integrity") for one in packages)


def test_a_client_that_leaves_is_no_error(cl100k: ff.Tokenizer) -> None:
    server = PlayServer(play.Desk({"cl100k_base": cl100k}), TOKEN, (HOST,))
    headers = [(b"host", HOST.encode()), (b"content-type", b"application/json")]
    scope = {"type": "http", "method": "POST", "path": f"/{TOKEN}/ask/text", "query_string": b"", "headers": headers}
    given = iter([{"type": "http.request", "body": b"{", "more_body": True}, {"type": "http.disconnect"}])
    sent: list[Any] = []

    async def receive() -> Any:
        return next(given)

    async def send(message: Any) -> None:
        sent.append(message)

    asyncio.run(server(scope, receive, send))
    assert sent[0]["status"] == 400
