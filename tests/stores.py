"""Stores on this machine that hold copies of a folder: memory, a web server, S3."""

from __future__ import annotations

import contextlib
import functools
import importlib.util
import threading
from collections.abc import Iterator
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

needs_remote = pytest.mark.skipif(
    importlib.util.find_spec("s3fs") is None, reason="the extra [remote] is not installed"
)
needs_moto = pytest.mark.skipif(
    importlib.util.find_spec("moto") is None or importlib.util.find_spec("flask_cors") is None,
    reason="moto and its server (moto[s3], flask, flask-cors) are not installed",
)


class Quiet(SimpleHTTPRequestHandler):
    """Serves files; what was asked for is noted on the server."""

    def log_message(self, *_: object) -> None:
        pass

    def log_request(self, *_: object) -> None:
        self.server.asked.append((self.command, self.path))  # type: ignore[attr-defined]


@contextlib.contextmanager
def web_server(folder: Path, handler: type[Quiet] = Quiet) -> Iterator[tuple[str, list]]:
    """Serve ``folder``; yields the address and the list of what is asked for."""
    server = ThreadingHTTPServer(
        ("127.0.0.1", 0), functools.partial(handler, directory=str(folder))
    )
    server.asked = []  # type: ignore[attr-defined]
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}", server.asked  # type: ignore[attr-defined]
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def in_memory(folder: Path, bucket: str) -> str:
    """Put a folder into the memory store."""
    import fsspec

    system = fsspec.filesystem("memory")
    for file in files_of(folder):
        system.pipe_file(f"/{bucket}/{file.relative_to(folder).as_posix()}", file.read_bytes())
    return f"memory://{bucket}"


def in_s3(folder: Path, bucket: str, prefix: str) -> str:
    """Put a folder into the S3 that the environment names."""
    import s3fs

    system = s3fs.S3FileSystem(skip_instance_cache=True)
    if not system.exists(bucket):
        system.mkdir(bucket)
    for file in files_of(folder):
        name = f"{bucket}/{prefix}/{file.relative_to(folder).as_posix()}"
        system.pipe_file(name, file.read_bytes())
    return f"s3://{bucket}/{prefix}"


def files_of(folder: Path) -> list[Path]:
    """All files below a folder."""
    return sorted(path for path in folder.rglob("*") if path.is_file())
