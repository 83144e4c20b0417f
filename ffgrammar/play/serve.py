"""Serves a desk on this machine until it is interrupted."""

from __future__ import annotations

import socket
from collections.abc import Callable

from ffgrammar.play.desk import Desk

__all__ = ["serve"]

# Only this machine can reach it.
HOST = "127.0.0.1"


def serve(desk: Desk, tell: Callable[[str], None], port: int = 0) -> None:
    """Serve the page until Ctrl-C. It needs the extra `play`.

    Args:
        desk: answers the requests.
        tell: gets the address of the page, once it can be opened.
        port: of this machine; 0 takes a free one.

    Raises:
        ImportError: starlette or uvicorn is not installed.
        OSError: the port is taken.
    """
    import uvicorn

    from ffgrammar.play.server import PlayServer, new_token

    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as listening:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind((HOST, port))
        listening.listen(64)
        port = listening.getsockname()[1]
        token = new_token()
        app = PlayServer(desk, token, (f"{HOST}:{port}", f"localhost:{port}"))
        config = uvicorn.Config(
            app, log_level="error", access_log=False, lifespan="off", ws="none", server_header=False, date_header=False
        )
        tell(f"http://{HOST}:{port}/{token}/")
        uvicorn.Server(config).run(sockets=[listening])
