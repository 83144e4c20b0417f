import threading

__all__ = ["gate"]

PATIENCE: float

class _Place:
    lock: threading.Lock
    holder: int
    since: float

_places: tuple[_Place, _Place]

class gate:
    def __enter__(self) -> None: ...
    def __exit__(self, *_: object) -> None: ...
