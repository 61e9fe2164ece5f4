"""Token counts and trimming."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from semantic_text_splitter import TextSplitter

from dopejar.text.tokens import count_tokens, trim_to_tokens

ANY_TEXT = st.text(alphabet=st.characters(codec=None), max_size=60)
WORDY = st.text(alphabet="aeiounrstlbcdXYZ ěščř0123456789.,(){}\n\t我喜欢привет", max_size=60)
TEXTS = st.one_of(ANY_TEXT, WORDY)


ROOT = Path(__file__).parents[3]
MODELS = ("gpt-4", "gpt-4o")  # cl100k_base and o200k_base; the splitter's wheel holds both vocabularies


def fits(text: str, budget: int, model: str) -> bool:
    """Whether the model's own tokenizer makes at most `budget` tokens of the text."""
    return TextSplitter.from_tiktoken_model(model, budget, trim=False).chunks(text) == [text]


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize(
    "text",
    [
        "hello",
        "Hello, world!",
        "The quick brown fox jumps over the lazy dog.",
        '{"key": [1, 2, 3], "name": "value"}',
        "def f(x):\n    return x + 1\n",
        "1234567890",
        " 7 8 9",
        "a3f9c2e17b",
        "\n\n\n\n" + "x",
        "        x",
        "I prefer short answers. Postgres listens on port 5433, and nobody commits straight to main.",
        "Wir haben beschlossen, dass jede Änderung vor dem Zusammenführen geprüft wird.",
        "Nous avons décidé que chaque modification est relue avant d'être intégrée.",
        "Hemos decidido que cada cambio se revisa antes de integrarlo en la rama principal.",
        "Decidimos que cada mudança é revista antes de entrar no ramo principal.",
        "Привет, как дела? Мы решили проверять каждое изменение.",
        "我喜欢用代码写诗",
        "饕餮魑魅",
        "私たちはすべての変更をレビューします。",
        "안녕하세요",
        "\U0001f600\U0001f44d\U0001f3fd",
    ],
)
def test_counts_are_not_below_real_tokenizers(text: str, model: str) -> None:
    """Prose, code, data and scripts of many kinds fit the estimate when a real tokenizer counts."""
    assert fits(text, count_tokens(text), model)


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("page", sorted((ROOT / "docs").glob("*.md")), ids=lambda page: page.name)
def test_whole_pages_are_not_below_real_tokenizers(page: Path, model: str) -> None:
    """A page of the documentation, with its tables and commands, fits the estimate."""
    text = page.read_text("utf-8").strip()
    assert fits(text, count_tokens(text), model)


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize(
    "text",
    ["příliš žluťoučký kůň", "Používej taby nebo mezery", "szczebrzeszyn", "SGVsbG9Xb3JsZEhlbGxv"],
)
def test_rare_words_need_at_most_half_as_many_again(text: str, model: str) -> None:
    """A known limit: short texts of rare words, marked letters or encoded data may need more, but not much more."""
    assert fits(text, count_tokens(text) * 3 // 2, model)


def test_prose_is_not_charged_by_the_letter() -> None:
    """Everyday English costs less than a token for three letters, so that budgets hold something."""
    text = "We decided that every change needs a review before it is merged into the main branch."
    assert len(text.split()) <= count_tokens(text) <= len(text) / 3


@given(TEXTS)
def test_only_nothing_costs_nothing(text: str) -> None:
    """The empty text costs nothing, any other at least one."""
    assert (count_tokens(text) == 0) == (text == "")


@given(TEXTS)
def test_count_is_at_most_the_bytes(text: str) -> None:
    """No tokenizer needs more than one token a byte; nor does the estimate."""
    assert count_tokens(text) <= len(text.encode("utf-8", "surrogatepass"))


@given(TEXTS)
def test_a_text_fits_its_own_count_and_nothing_less(text: str) -> None:
    """Counting by stretches and trimming piece by piece come to the same number."""
    count = count_tokens(text)
    assert trim_to_tokens(text, count) == text
    assert count == 0 or trim_to_tokens(text, count - 1) != text


@given(TEXTS, TEXTS)
def test_adding_text_never_lowers_the_count(one: str, other: str) -> None:
    """A text costs at least what each of its ends costs."""
    together = count_tokens(one + other)
    assert together >= count_tokens(one)
    assert together >= count_tokens(other)


@given(TEXTS, TEXTS)
def test_joining_costs_no_more_than_the_seam(one: str, other: str) -> None:
    """Joined texts cost at most their sum and five for a word that grows at the seam."""
    assert count_tokens(one + other) <= count_tokens(one) + count_tokens(other) + 5


@given(TEXTS, TEXTS, st.sampled_from(["\n", " ", ". ", "\n\n", ", "]))
def test_joining_with_a_mark_costs_one(one: str, other: str, joint: str) -> None:
    """Where something stands between, the joined texts cost at most one more than the three."""
    assert count_tokens(one + joint + other) <= count_tokens(one) + count_tokens(joint) + count_tokens(other) + 1


@given(TEXTS, st.integers(min_value=-2, max_value=40))
def test_trimmed_text_fits_and_is_a_prefix(text: str, budget: int) -> None:
    """The budget is never exceeded, and what is kept is where the text begins."""
    kept = trim_to_tokens(text, budget)
    assert text.startswith(kept)
    assert count_tokens(kept) <= max(budget, 0)


@given(TEXTS)
def test_what_fits_is_kept_whole(text: str) -> None:
    """A text within the budget comes back as it is."""
    assert trim_to_tokens(text, count_tokens(text)) == text


@given(
    st.lists(st.sampled_from(["we", "deploy", "kubectl", "v1.2", "don't", "max_retries"]), min_size=1, max_size=12),
    st.integers(1, 30),
)
def test_words_are_not_parted(parts: list[str], budget: int) -> None:
    """Where at least the first word fits, the cut stands between words."""
    text = " ".join(parts)
    assume(count_tokens(parts[0]) < budget)
    kept = trim_to_tokens(text, budget).split()
    assert kept == parts[: len(kept)]


@pytest.mark.parametrize(
    ("text", "budget", "kept"),
    [
        ("one two three", 0, ""),
        ("one two three", 2, "one two"),
        ("我喜欢咖啡", 5, "我喜欢"),
        ("stop here. And", 3, "stop here."),
    ],
)
def test_trim_examples(text: str, budget: int, kept: str) -> None:
    """Cuts fall behind a word, a mark, or a character of a script without spaces."""
    assert trim_to_tokens(text, budget) == kept


def test_a_word_too_long_is_cut_within() -> None:
    """A single word that does not fit is cut rather than dropped."""
    kept = trim_to_tokens("antidisestablishment" * 5, 4)
    assert 4 <= len(kept) < 100
    assert count_tokens(kept) <= 4


@pytest.mark.parametrize("letter", ["a", "é", "1", " ", "\n", "{", "我", "A", "aB"])
def test_long_monotony_is_trimmed(letter: str) -> None:
    """A long run of one letter is counted and trimmed to the end."""
    text = letter * 50_000
    assert count_tokens(trim_to_tokens(text, 100)) <= 100
