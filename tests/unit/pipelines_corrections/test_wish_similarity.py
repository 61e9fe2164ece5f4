"""Two wishes are one only where nothing that they name differs; what cannot be followed together is contrary."""

import pytest

from dopejar.pipelines.corrections.clusters.wish_similarity import contradicts, linked
from dopejar.pipelines.corrections.wording.memory_text import polarity_of


def poled(text):
    """A wish with its polarity, as the functions take it."""
    return text, polarity_of(text, "en")


ANOTHER_VALUE = [
    ("Use port 8443 for the proxy", "Use port 8444 for the proxy"),
    ("Always use single quotes", "Always use double quotes"),
    ("Always limit lines to 100 characters", "Always limit lines to 120 characters"),
    ("Keep functions under 40 lines", "Keep functions under 80 lines"),
    ("Always use tabs for indentation", "Always use spaces for indentation"),
    ("Wait two seconds between retries", "Wait five seconds between retries"),
]
ANOTHER_THING = [
    ("Run the tests before every commit", "Run the linter before every commit"),
    ("Use uv instead of pip", "Use poetry instead of pip"),
    ("Add tests for every bug fix", "Add a changelog entry for every bug fix"),
    ("Never push to main", "Never push to develop"),
    ("Write commit messages in English", "Write comments in English"),
]
ONE = [
    ("Never push to main", "Do not push directly to main"),
    ("Run tests before committing", "Always run the tests before you commit"),
    ("Use uv instead of pip", "Never use pip, use uv"),
    ("Use pathlib instead of os.path", "Please use pathlib, not os.path"),
    ("Always answer in German", "Please reply in German"),
    ("Keep lines under 100 characters", "Keep lines short, under 100 characters"),
    ("Only create a task; do not work on it", "Only create a task; do not start implementing it"),
]


@pytest.mark.parametrize(("one", "other"), [*ANOTHER_VALUE, *ANOTHER_THING])
def test_another_value_or_thing_is_another_wish(one, other):
    """However like the words: whoever says 120 after 100 has not said 100 again."""
    assert not linked(*poled(one), *poled(other))
    assert not linked(*poled(other), *poled(one))


@pytest.mark.parametrize(("one", "other"), ONE)
def test_other_words_are_the_same_wish(one, other):
    """Telling wishes apart does not tear one wish in two."""
    assert linked(*poled(one), *poled(other))
    assert linked(*poled(other), *poled(one))
    assert not contradicts(*poled(one), *poled(other))


@pytest.mark.parametrize(("one", "other"), [*ANOTHER_VALUE, ("Use npm", "Use pnpm instead of npm")])
def test_another_value_is_contrary(one, other):
    """Both cannot be followed; nobody has to say `not`."""
    assert contradicts(*poled(one), *poled(other))
    assert contradicts(*poled(other), *poled(one))


@pytest.mark.parametrize(("one", "other"), ANOTHER_THING)
def test_another_thing_is_not_contrary(one, other):
    """The tests and the linter can both be run."""
    assert not contradicts(*poled(one), *poled(other))
