"""Carries requests and answers between a browser on this machine and a desk.

Only who has the server's address may ask: it has a token that is drawn at the start. A request whose `Host` is not this
server, or that another page sends, is refused, so that no page of another origin can read an answer (not even one whose
name is made to lead here). Work is done on threads, so a grammar that takes long does not stall the page.
"""

from __future__ import annotations

import json
import secrets
from functools import cache
from hmac import compare_digest
from importlib.resources import files
from typing import Any

from anyio import CapacityLimiter, to_thread
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from ffgrammar.play.bounds import MAX_BODY
from ffgrammar.play.desk import Desk

__all__ = ["PlayServer", "new_token"]

# How many requests are worked on at a time.
WORKERS = 4
# The files of the page. A path is looked up here, and is never part of a name of a file.
ASSETS = {
    "": ("index.html", "text/html; charset=utf-8"),
    **{f"{name}.js": (f"{name}.js", "text/javascript; charset=utf-8") for name in (
        "alone", "ask", "chart", "dom", "editor", "gap", "link", "main", "model", "railroads", "text", "trie", "worker",
    )},
    "style.css": ("style.css", "text/css; charset=utf-8"),
    "icon.svg": ("icon.svg", "image/svg+xml"),
    "editor.LICENSE.txt": ("editor.LICENSE.txt", "text/plain; charset=utf-8"),
}  # fmt: skip
NONCE = b"NONCE"


def new_token() -> str:
    """A token for a server's address."""
    return secrets.token_urlsafe(24)


@cache
def _asset(name: str) -> bytes:
    return (files("ffgrammar.play") / "assets" / name).read_bytes()


class PlayServer:
    """An application of ASGI.

    Args:
        desk: answers the requests.
        token: what its paths begin with.
        hosts: what `Host` may be, such as "127.0.0.1:8000".
    """

    def __init__(self, desk: Desk, token: str, hosts: tuple[str, ...]) -> None:
        self._desk = desk
        self._token = token
        self._hosts = hosts
        self._limiter: CapacityLimiter | None = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return  # (there are no web sockets, and nothing is done at the start or at the end)
        request = Request(scope, receive)
        response = await self._respond(request)
        response.headers["X-Content-Type-Options"] = "nosniff"
        response.headers["Referrer-Policy"] = "no-referrer"
        response.headers["Cache-Control"] = "no-store"
        response.headers["Cross-Origin-Resource-Policy"] = "same-origin"
        response.headers["Cross-Origin-Opener-Policy"] = "same-origin"
        await response(scope, receive, send)

    async def _respond(self, request: Request) -> Response:
        if request.headers.get("host", "") not in self._hosts or not self._is_own(request):
            return _refused(421, "this server answers only to its own page")
        _, _, rest = request.url.path.partition("/")
        token, slash, path = rest.partition("/")
        if not compare_digest(token.encode(), self._token.encode()):
            return _refused(403, "the address lacks the token that ffgrammar play printed")
        if path.startswith("ask/"):
            return await self._ask(request, path.removeprefix("ask/"))
        if request.method not in ("GET", "HEAD"):
            return _refused(405, "only GET is known here")
        if not slash:
            return Response(status_code=308, headers={"Location": f"/{token}/"})
        return _file(path) if path in ASSETS else _refused(404, "there is no such file")

    def _is_own(self, request: Request) -> bool:
        """Whether a request comes from this server's page, or from an address that was typed."""
        origin = request.headers.get("origin")
        if origin is not None and origin.removeprefix("http://") not in self._hosts:
            return False
        return request.headers.get("sec-fetch-site", "none") in ("same-origin", "none")

    async def _ask(self, request: Request, name: str) -> Response:
        if request.method != "POST" or request.headers.get("content-type", "") != "application/json":
            return _refused(405, "requests are objects of JSON that are posted")
        if name not in self._desk.names:
            return _refused(404, "nothing is known that answers this")
        body = bytearray()
        try:
            async for chunk in request.stream():
                body += chunk
                if len(body) > MAX_BODY:
                    return _refused(413, f"a request may have {MAX_BODY} bytes")
        except ClientDisconnect:
            return _refused(400, "the request has no end")  # (nobody reads this)
        if self._limiter is None:
            self._limiter = CapacityLimiter(WORKERS)
        answer = await to_thread.run_sync(self._answer, name, bytes(body), limiter=self._limiter)
        return Response(answer, media_type="application/json")

    def _answer(self, name: str, body: bytes) -> bytes:
        try:
            values: Any = json.loads(body)
        except (ValueError, RecursionError):
            values = None
        return json.dumps(self._desk.answer(name, values), ensure_ascii=False).encode("utf-8", "backslashreplace")


def _file(path: str) -> Response:
    name, media_type = ASSETS[path]
    data = _asset(name)
    headers = {}
    if name == "index.html":
        nonce = secrets.token_urlsafe(16)
        data = data.replace(NONCE, nonce.encode())
        headers["Content-Security-Policy"] = (
            "default-src 'none'; script-src 'self'; connect-src 'self'; img-src 'self' data:; "
            f"style-src 'self' 'nonce-{nonce}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
        )
    return Response(data, media_type=media_type, headers=headers)


def _refused(status: int, why: str) -> Response:
    return Response(why + "\n", status_code=status, media_type="text/plain; charset=utf-8")
