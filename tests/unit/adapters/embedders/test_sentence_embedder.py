"""The forward pass against a slow one written apart from it, and the real weights where they are installed."""

from __future__ import annotations

import math
import threading
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tiny_bert import BERT, HEADS, LAYERS, MPNET, Network, random_tensors

from dopejar.adapters.embedders.bert import BertEncoder, distance_biases, gelu
from dopejar.adapters.embedders.model_installation import LocalSource, install
from dopejar.adapters.embedders.sentence_embedder import SentenceEmbedder
from dopejar.adapters.embedders.tensor_file import read_tensors
from dopejar.adapters.embedders.weights import MPNET as MPNET_WEIGHTS
from dopejar.adapters.embedders.wordpiece import WordPiece
from dopejar.errors import WeightsDamagedError, WeightsMissingError


def bucket(away: int, buckets: int) -> int:
    """In which bucket a distance falls, as the paper tells it: exact ones, then wider and wider ones up to 128."""
    half, exact, far = buckets // 2, buckets // 4, abs(away)
    later = half if away > 0 else 0
    if far < exact:
        return later + far
    return later + min(half - 1, exact + int(math.log(far / exact) / math.log(128 / exact) * (half - exact)))


def slow_vector(tensors: dict[str, np.ndarray], ids: list[int], network: Network = BERT) -> np.ndarray:
    """The textbook encoder for one text in float64: row by row, head by head, with the exact erf."""
    t = {name: tensor.astype(np.float64) for name, tensor in tensors.items()}

    def dense(x, name):
        weight = t[name + ".weight"]
        products = [[sum(w * v for w, v in zip(row, r, strict=True)) for row in weight] for r in x]
        return np.array(products) + t[name + ".bias"]

    def norm(x, name):
        centred = [(r - r.mean()) / math.sqrt(((r - r.mean()) ** 2).mean() + network.epsilon) for r in x]
        return np.array(centred) * t[name + ".weight"] + t[name + ".bias"]

    def attention(x, name):
        q, k, v = (dense(x, name + part) for part in network.parts[:3])
        width = q.shape[1] // HEADS
        out = np.zeros_like(q)
        for head in range(HEADS):
            cut = slice(head * width, (head + 1) * width)
            for row in range(len(x)):
                scores = [
                    math.exp(float(q[row, cut] @ k[other, cut]) / math.sqrt(width) + bias(other - row, head))
                    for other in range(len(x))
                ]
                out[row, cut] = sum(s / sum(scores) * v[other, cut] for other, s in enumerate(scores))
        return out

    def bias(away, head):
        table = t.get(network.biases)
        return 0.0 if table is None else float(table[bucket(away, len(table))][head])

    places = t["embeddings.position_embeddings.weight"][network.first :]
    x = t["embeddings.word_embeddings.weight"][ids] + places[: len(ids)]
    x = norm(x + (t[network.kinds][0] if network.kinds else 0.0), "embeddings.LayerNorm")
    for layer in range(LAYERS):
        name = f"encoder.layer.{layer}."
        mixed = dense(attention(x, name), name + network.parts[3])
        x = norm(x + mixed, name + network.norm)
        inner = dense(x, name + "intermediate.dense")
        inner = np.array([[0.5 * v * math.erfc(-v / math.sqrt(2)) for v in row] for row in inner])
        x = norm(x + dense(inner, name + "output.dense"), name + "output.LayerNorm")
    mean = x.mean(axis=0)
    return mean / math.sqrt(float(mean @ mean))


@settings(max_examples=25, deadline=None)
@given(st.lists(st.lists(st.integers(0, 29), min_size=1, max_size=20), min_size=1, max_size=6))
@pytest.mark.parametrize("network", [BERT, MPNET], ids=["bert", "mpnet"])
def test_the_fast_pass_equals_the_slow_one(network, texts):
    """Every row equals the textbook's within float32 rounding, whatever else is in the batch."""
    tensors = random_tensors(network=network)
    rows = BertEncoder(tensors, HEADS).encode(texts)
    slow = np.array([slow_vector(tensors, text, network) for text in texts])
    assert np.abs(rows - slow).max() < 2e-5


def test_distances_up_to_the_longest_have_their_biases():
    """Each distance between two of two hundred tokens has the bias of the bucket that the paper says."""
    table = np.arange(64, dtype=np.float32).reshape(32, 2)
    found = distance_biases(table, 200)
    assert found.shape == (2, 399)
    assert all(list(found[:, away + 199]) == list(table[bucket(away, 32)]) for away in range(-199, 200))


def test_many_texts_of_many_lengths_come_back_in_order():
    """More texts than one batch holds, of all lengths: each has the row that it has alone."""
    tensors = random_tensors()
    encoder = BertEncoder(tensors, HEADS)
    random = np.random.default_rng(3)
    texts = [random.integers(0, 30, size=int(random.integers(1, 40))).tolist() for _ in range(120)]
    rows = encoder.encode(texts)
    alone = np.vstack([encoder.encode([text]) for text in texts])
    assert np.abs(rows - alone).max() < 1e-5


def test_gelu_is_the_erf_form():
    """Over the whole range of float32 the fast form stays within 1e-6 of the exact one, relative beyond 1."""
    near = np.linspace(-12, 12, 60_001)
    far = np.concatenate([-(10.0 ** np.arange(1, 38)), 10.0 ** np.arange(1, 38), [0.0]])
    values = np.concatenate([near, far]).astype(np.float32)
    exact = np.array([0.5 * v * math.erfc(-v / math.sqrt(2)) for v in values.astype(np.float64)])
    fast = gelu(values.copy()[None, :])[0]
    assert np.all(np.isfinite(fast))
    assert (np.abs(fast - exact) / np.maximum(1.0, np.abs(exact))).max() < 1e-6


def test_texts_become_unit_rows(tiny_model, tmp_path: Path):
    """From installed files to rows: right shape, unit length, equal to the slow pass over the text's pieces."""
    folder = install(tmp_path / "models", LocalSource(path=tiny_model.folder), weights=tiny_model.weights)
    embedder = SentenceEmbedder(folder, tiny_model.weights)
    texts = ["cab unable!", "ab", "", "東京 a, b", "do " * 300]
    rows = embedder.embed(texts)
    pieces = WordPiece.read(folder / "vocab.txt")
    slow = np.array([slow_vector(tiny_model.tensors, pieces.encode(text, 40)) for text in texts])
    assert rows.dtype == np.float32
    assert np.abs(rows - slow).max() < 2e-5
    assert embedder.embed([]).shape == (0, 12)


def test_adapted_states_are_those_of_the_sums(tiny_model, tmp_path: Path):
    """Low-rank factors act as the weights plus their product, and leave the embedder that was adapted as it is."""
    folder = install(tmp_path / "models", LocalSource(path=tiny_model.folder), weights=tiny_model.weights)
    embedder, text, name = SentenceEmbedder(folder, tiny_model.weights), ["cab un able"], "encoder.layer.0.output.dense"
    before = embedder.embed(text)
    rng, (rows, columns) = np.random.default_rng(2), tiny_model.tensors[f"{name}.weight"].shape
    up, down = (rng.normal(size=shape).astype(np.float32) for shape in ((rows, 2), (2, columns)))
    changed = embedder.adapted(lambda: {f"{name}.up": up, f"{name}.down": down, "head.weight": up}).embed(text)
    pieces = WordPiece.read(folder / "vocab.txt")
    summed = tiny_model.tensors | {f"{name}.weight": tiny_model.tensors[f"{name}.weight"] + up @ down}
    assert np.abs(changed - slow_vector(summed, pieces.encode(text[0], 40))).max() < 1e-4
    assert np.abs(changed - before).max() > 1e-3
    assert np.array_equal(SentenceEmbedder(folder, tiny_model.weights).embed(text), before)


@pytest.mark.parametrize("layer", [None, 1, 0], ids=["no factors", "the upper layer", "all layers"])
def test_a_pass_that_reads_makes_the_vectors_too(tiny_model, tmp_path: Path, layer):
    """Reading alone and reading what is searched for give the same states; the vectors are those of embedding.

    A text that is not read whole, or not searched for, gets none, nor does any where no layer is shared.
    """
    folder = install(tmp_path / "models", LocalSource(path=tiny_model.folder), weights=tiny_model.weights)
    embedder, rng = SentenceEmbedder(folder, tiny_model.weights), np.random.default_rng(4)
    pieces = ["cab", "un", "able", "do", "!", ",", "東京", "ab"]
    texts = list(dict.fromkeys(" ".join(rng.choice(pieces, size=rng.integers(1, 18))) for _ in range(200)))
    name, rank = f"encoder.layer.{layer}.output.dense", 2
    rows, columns = tiny_model.tensors["encoder.layer.0.output.dense.weight"].shape
    shapes = {f"{name}.up": (rows, rank), f"{name}.down": (rank, columns)}
    factors = {part: rng.normal(size=shape).astype(np.float32) for part, shape in shapes.items()}
    reading = embedder if layer is None else embedder.adapted(lambda: factors)
    alone = reading.token_states(texts, (1, 2), 20)
    searched = set(texts[::2]) if layer != 0 else set()
    beside = reading.token_states(texts, (1, 2), 20, set(texts[::2]))
    assert all(np.abs(one.states - other.states).max() < 1e-5 for one, other in zip(alone, beside, strict=True))
    whole = {text for text, one in zip(texts, alone, strict=True) if one.units[-1].end == len(text)}
    made, exact = embedder.at_hand(texts), SentenceEmbedder(folder, tiny_model.weights).embed(texts)
    assert set(made) == searched & whole
    assert len(searched - whole) > 5 or layer == 0
    assert all(np.abs(made[text] - row).max() < 1e-5 for text, row in zip(texts, exact, strict=True) if text in made)


def test_what_reads_for_another_model_makes_no_vectors(installed_weights):
    """The model beside one that only searches leaves that one's vectors alone."""
    searching = SentenceEmbedder(installed_weights().parent / "mpnet-base-v2", MPNET_WEIGHTS)
    searching.for_reading.token_states(["We moved to Ghent."], (2, 6), 56, {"We moved to Ghent."})
    assert not searching.at_hand(["We moved to Ghent."])
    assert not searching.for_reading.at_hand(["We moved to Ghent."])


def test_threads_share_one_embedder(tiny_model, tmp_path: Path):
    """Threads that begin at the same moment load once and get the rows that one thread gets."""
    folder = install(tmp_path / "models", LocalSource(path=tiny_model.folder), weights=tiny_model.weights)
    expected = SentenceEmbedder(folder, tiny_model.weights).embed(["cab", "un able"])
    embedder = SentenceEmbedder(folder, tiny_model.weights)
    barrier, results = threading.Barrier(4), []

    def work():
        barrier.wait()
        results.append(embedder.embed(["cab", "un able"]))

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(results) == 4
    assert all(np.array_equal(result, expected) for result in results)


def test_the_identity_is_known_without_weights(tmp_path: Path):
    """Name, dimensions and digest need no file; embedding does, and says which command installs it."""
    embedder = SentenceEmbedder(tmp_path / "nothing")
    assert str(embedder.identity) == "minilm-l6-v2/384/53aa51172d14"
    assert embedder.identity.lexical is False
    with pytest.raises(WeightsMissingError, match="dopejar models install"):
        embedder.embed(["hello"])


def test_weights_are_read_only(tiny_model):
    """Tensors lie in the map: no code can write into them, and other types are passed over."""
    tensors = read_tensors(tiny_model.folder / "model.safetensors")
    assert "position_ids" not in tensors
    with pytest.raises(ValueError, match="read-only"):
        tensors["embeddings.LayerNorm.bias"][0] = 1.0


@pytest.mark.parametrize(
    "damage",
    [
        lambda data: b"",
        lambda data: data[:7],
        lambda data: data[:100],
        lambda data: data[:-4],
        lambda data: b"\xff" * 8 + data[8:],
        lambda data: data[:8] + b"x" + data[9:],
        lambda data: (2).to_bytes(8, "little") + b"[]" + data,
        lambda data: (7).to_bytes(8, "little") + b'{"a":1}' + data,
    ],
)
def test_damaged_weights_are_refused(tiny_model, damage):
    """Cut, overwritten or emptied files are named as damaged; none is read past its end."""
    path = tiny_model.folder / "model.safetensors"
    path.write_bytes(damage(path.read_bytes()))
    with pytest.raises(WeightsDamagedError, match=r"[Ii]nstall"):
        read_tensors(path)


@pytest.mark.parametrize("missing", ["encoder.layer.1.output.dense.bias", "embeddings.word_embeddings.weight"])
def test_tensors_that_are_no_bert_are_refused(missing):
    """A missing tensor is found when the file is opened, not in the middle of a batch."""
    tensors = random_tensors()
    del tensors[missing]
    with pytest.raises(WeightsDamagedError):
        BertEncoder(tensors, HEADS)


def test_a_tensor_of_another_shape_is_refused():
    """Shapes are checked against each other."""
    tensors = random_tensors()
    tensors["encoder.layer.0.output.dense.weight"] = np.zeros((12, 7), dtype=np.float32)
    with pytest.raises(WeightsDamagedError, match=r"encoder\.layer\.0\.output\.dense\.weight"):
        BertEncoder(tensors, HEADS)


@pytest.mark.weights
def test_real_weights_know_paraphrases(installed_weights):
    """A paraphrase is nearer than an unrelated sentence, an identical text has cosine 1."""
    embedder = SentenceEmbedder(installed_weights())
    triples = [
        ("The bakery opens at seven.", "That bread shop starts at 7 in the morning.", "My bicycle has a flat tyre."),
        ("Please keep replies short.", "I prefer brief answers.", "The server listens on port 8080."),
        ("We moved the tests to pytest.", "Our test suite now runs with pytest.", "She plays the violin on Sundays."),
    ]
    for text, paraphrase, unrelated in triples:
        rows = embedder.embed([text, paraphrase, unrelated, text])
        assert rows[0] @ rows[1] > rows[0] @ rows[2] + 0.2
        assert rows[0] @ rows[3] == pytest.approx(1.0, abs=1e-5)


@pytest.mark.weights
@pytest.mark.parametrize(
    ("text", "ids"),
    [
        ("Hello, world!", [101, 7592, 1010, 2088, 999, 102]),
        ("Café NIÑO", [101, 7668, 20801, 102]),
        ("", [101, 102]),
    ],
)
def test_the_real_vocabulary_gives_known_ids(installed_weights, text, ids):
    """Pieces of the installed vocabulary, looked up by hand."""
    assert WordPiece.read(installed_weights() / "vocab.txt").encode(text) == ids
