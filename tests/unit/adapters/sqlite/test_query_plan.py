"""Requiring the rare terms passes over no row that a full ranking would show first."""

import math
import random
from collections import Counter
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dopejar.adapters.sqlite import SqliteStore, query_plan
from dopejar.adapters.sqlite.query_plan import ENOUGH_ROWS, FEWEST_ROWS, any_of, expressions, plan_query, quoted
from dopejar.testing.builders import a_conversation, an_episode, append_turns
from dopejar.testing.fixed_clock import FixedClock
from dopejar.values.ids import EpisodeId
from dopejar.values.recall import SearchFilter, Source
from dopejar.values.scope import ReadScope

frequencies = st.dictionaries(st.text(alphabet="abcdefgh", min_size=1, max_size=3), st.integers(0, 20_000))


@given(frequencies, st.integers(1, 20_000))
def test_required_terms_are_the_rarest_scored_ones(counts: dict[str, int], rows: int) -> None:
    """What is required is a beginning of what is scored, rarest first, and nothing unknown is either."""
    chosen = plan_query(counts, rows)
    assert chosen.required == chosen.scored[: len(chosen.required)]
    ordered = [counts[term] for term in chosen.scored]
    assert ordered == sorted(ordered)
    assert all(ordered)
    assert bool(chosen.scored) == any(counts.values())
    assert bool(chosen.required) == bool(chosen.scored)


@given(frequencies, st.integers(1, 20_000))
def test_required_terms_bring_enough_rows_and_not_many_more(counts: dict[str, int], rows: int) -> None:
    """Either every term is required, or the required ones bring the fewest rows and no needless frequent term."""
    chosen = plan_query(counts, rows)
    total = sum(counts[term] for term in chosen.required)
    if len(chosen.required) < len(chosen.scored):
        assert total >= FEWEST_ROWS
    if len(chosen.required) > 1:
        without_last = total - counts[chosen.required[-1]]
        assert without_last < FEWEST_ROWS or total <= ENOUGH_ROWS


@pytest.mark.parametrize(
    ("counts", "rows", "required", "scored"),
    [
        ({"rare": 3, "common": 6000}, 20_000, ("rare", "common"), ("rare", "common")),
        ({"some": 3900, "common": 6000}, 20_000, ("some",), ("some", "common")),
        ({"some": 900, "the": 15_000}, 20_000, ("some",), ("some",)),
        ({"the": 15_000}, 20_000, ("the",), ("the",)),
        ({"nowhere": 0}, 20_000, (), ()),
    ],
)
def test_plans_by_example(
    counts: dict[str, int], rows: int, required: tuple[str, ...], scored: tuple[str, ...]
) -> None:
    """A few rare rows are not enough, a term of most rows weighs nothing, and an unknown one is left out."""
    chosen = plan_query(counts, rows)
    assert (chosen.required, chosen.scored) == (required, scored)


@given(st.text(min_size=1, max_size=8))
def test_a_quoted_term_is_one_string(term: str) -> None:
    """Quotes inside a term are doubled, so that it ends where it ends."""
    inner = quoted(term)[1:-1]
    assert inner.replace('""', "").count('"') == 0
    assert inner.replace('""', '"') == term


def test_a_plan_of_everything_requires_nothing_apart() -> None:
    """Where all terms are required the query is a plain "any of"."""
    whole = plan_query({"a": 1, "b": 2}, 10)
    assert expressions(whole) == (any_of(("a", "b")),)
    assert expressions(plan_query({"a": 3900, "b": 5000}, 20_000)) == ('("a") AND ("b")', '("a") NOT ("b")')


def _corpus(chance: random.Random, rows: int) -> list[list[str]]:
    """Sentences over a vocabulary in which few words are very frequent, as in any language."""
    vocabulary = [f"w{place}x" for place in range(3000)]
    weights = [1 / (place + 3) for place in range(len(vocabulary))]
    return [chance.choices(vocabulary, weights, k=chance.randint(6, 24)) for _ in range(rows)]


def _exhaustive(corpus: list[list[str]], terms: list[str]) -> list[float]:
    """BM25 (k1 1.2, b 0.75) of every row, by its definition (Robertson and Zaragoza, 2009)."""
    average = sum(map(len, corpus)) / len(corpus)
    counts = [Counter(row) for row in corpus]
    held = {term: sum(1 for row in counts if term in row) for term in terms}
    weight = {term: max(1e-6, math.log((len(corpus) - number + 0.5) / (number + 0.5))) for term, number in held.items()}
    return [
        sum(weight[term] * row[term] * 2.2 / (row[term] + 1.2 * (0.25 + 0.75 * len(words) / average)) for term in terms)
        for row, words in zip(counts, corpus, strict=True)
    ]


def test_the_quick_way_finds_what_the_long_way_finds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """On a corpus with frequent words, ten hits hold at least 99 % of the ten best by exhaustive BM25."""
    monkeypatch.setattr(query_plan, "ENOUGH_ROWS", 2000)  # for a corpus of this size what 8000 is for a large one
    monkeypatch.setattr(query_plan, "FEWEST_ROWS", 700)
    chance = random.Random(5)  # noqa: S311 - a corpus, not a secret
    corpus = _corpus(chance, 6000)
    where = SearchFilter(read_scope=ReadScope(), source=Source.EPISODE)
    with closing(SqliteStore.open(tmp_path / "store.db", clock=FixedClock())) as store:
        with store.write() as tx:
            tx.put_conversation(a_conversation())
            append_turns(tx, [an_episode(" ".join(words), place) for place, words in enumerate(corpus)])
        places = {an_episode("", place).id: place for place in range(len(corpus))}
        kept, pruned = [], 0
        with store.read() as view:
            for _ in range(40):
                terms = list(dict.fromkeys(chance.choice(corpus)[:7]))
                pruned += not view._plan(tuple(terms), Source.EPISODE).is_whole
                scores = _exhaustive(corpus, terms)
                tenth = sorted(scores, reverse=True)[9]
                hits = view.lexical(terms, where, 10)
                kept.append(sum(1 for hit in hits if scores[places[EpisodeId(hit.id)]] >= tenth - 1e-4) / 10)
    assert pruned >= 10  # else this would not have tried the quick way
    assert sum(kept) / len(kept) >= 0.99


def test_a_narrow_filter_finds_rows_that_hold_only_frequent_words(tmp_path: Path) -> None:
    """Where the filter lets little through, rows without any rare term are ranked as well."""
    where = SearchFilter(read_scope=ReadScope(), source=Source.EPISODE, conversation=a_conversation("tuesday").id)
    with closing(SqliteStore.open(tmp_path / "store.db", clock=FixedClock())) as store:
        with store.write() as tx:
            tx.put_conversation(a_conversation())
            tx.put_conversation(a_conversation("tuesday"))
            texts = [f"flour {'salt' if place % 6 == 0 else 'sugar'} {place}" for place in range(5000)]
            append_turns(tx, [an_episode(text, place) for place, text in enumerate(texts)])
            append_turns(tx, [an_episode("sugar alone", 0, "tuesday")])
        with store.read() as view:
            assert not view._plan(("salt", "sugar"), Source.EPISODE).is_whole
            assert len(view.lexical(["salt", "sugar"], where, 10)) == 1
