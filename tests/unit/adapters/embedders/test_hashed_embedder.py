"""Hashed n-grams: stable, unit length, near for shared spelling."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dopejar.adapters.embedders.hashed_embedder import HashedEmbedder

EMBEDDER = HashedEmbedder()


def cosine(one: str, other: str) -> float:
    """The cosine of two texts."""
    rows = EMBEDDER.embed([one, other])
    return float(rows[0] @ rows[1])


@given(st.lists(st.text(max_size=200), max_size=5))
def test_every_text_gets_one_finite_unit_row(texts):
    """Whatever the text, its row is float32, finite and of length one."""
    rows = EMBEDDER.embed(texts)
    assert rows.shape == (len(texts), 384)
    assert rows.dtype == np.float32
    assert np.allclose(np.linalg.norm(rows, axis=1), 1.0, atol=1e-5)


@given(st.lists(st.text(max_size=60), min_size=1, max_size=4), st.text(max_size=60))
def test_a_text_is_not_changed_by_its_neighbours(texts, text):
    """A row depends on its text alone."""
    assert np.array_equal(EMBEDDER.embed([*texts, text])[-1], EMBEDDER.embed([text])[0])


def test_another_process_makes_the_same_vectors():
    """No salted hash is in it: a process with another hash seed gives the same bytes."""
    text = "Ship the büro release on Tuesday, 東京で会う"
    program = (
        "import sys; from dopejar.adapters.embedders.hashed_embedder import HashedEmbedder;"
        "sys.stdout.write(HashedEmbedder().embed([sys.argv[1]]).tobytes().hex())"
    )
    run = subprocess.run(
        [sys.executable, "-X", "utf8", "-c", program, text],
        capture_output=True,
        text=True,
        check=True,
        env={"PYTHONHASHSEED": "77", "PATH": ""},
    )
    assert run.stdout == EMBEDDER.embed([text]).tobytes().hex()


def test_stored_vectors_keep_their_meaning():
    """A changed recipe would mix old and new vectors: whoever changes it must change the digest as well."""
    row = EMBEDDER.embed(["The kettle is blue"])[0]
    slots = [int(slot) for slot in np.argsort(-np.abs(row))[:2]]
    assert (EMBEDDER.identity.digest[:12], slots) == ("cb3f05643fd9", [361, 258])


@pytest.mark.parametrize(
    ("text", "near", "far"),
    [
        ("Deploy the gateway tonight", "deploying gateways at night", "my sister plays the cello"),
        ("Our database is Postgres", "the postgres databases", "a walk in the park"),
        ("Wir liefern freitags", "die Lieferung am Freitag", "keine Ahnung davon"),
        ("会議は月曜日です", "月曜日の会議", "猫が好き"),
    ],
)
def test_shared_spelling_is_nearer_than_other_words(text, near, far):
    """Texts that share words or stems are nearer than texts that share none, also without spaces between words."""
    assert cosine(text, near) > cosine(text, far) + 0.1


@pytest.mark.parametrize(
    ("one", "other"), [("Café", "CAFÉ"), ("ﬁle", "file"), ("cafe\u0301", "café"), ("a  b\n", "a b"), ("", "…")]
)
def test_case_forms_and_spacing_do_not_count(one, other):
    """Case, compatibility forms, composition, punctuation and spacing do not change a vector."""
    assert cosine(one, other) == pytest.approx(1.0)


def test_the_identity_says_that_it_is_lexical():
    """Hashed vectors are labelled lexical, so that nothing takes them for meaning."""
    identity = EMBEDDER.identity
    assert (identity.name, identity.dimensions, identity.lexical) == ("hashed-ngrams", 384, True)
    assert len(identity.digest) == 64
