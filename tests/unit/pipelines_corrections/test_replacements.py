"""A rule is replaced by words that direct, permit or tell a change; a complaint that it was broken is none of these."""

import pytest

from dopejar.pipelines.corrections.wording.replacements import may_replace


@pytest.mark.parametrize(
    ("rule", "said"),
    [
        ("No wildcard imports", "Wildcard imports"),
        ("No wildcard imports; name each", "wildcard import again, really?"),
        ("No print statements in the library", "you left a print statement in the library"),
        ("Amounts are stored as integer cents", "You stored the amount as a float"),
        ("Store timestamps in UTC", "The timestamp in that row is local time"),
        ("Keep answers under five lines", "That was twenty lines"),
        ("No emojis in commit messages", "Still emojis in commit messages"),
    ],
)
def test_a_complaint_replaces_no_rule(rule, said):
    """What only names the breach directs nothing."""
    assert not may_replace(said, said, rule)


@pytest.mark.parametrize(
    ("rule", "said"),
    [
        ("No wildcard imports", "Wildcard imports are fine now"),
        ("No wildcard imports", "You may use wildcard imports in tests"),
        ("No print statements in the library", "From now on print statements in the library are how we debug"),
        ("Store timestamps in UTC", "Store timestamps in local time"),
        ("Always run the linter before a commit", "Don't run the linter before a commit"),
        ("Keep answers under five lines", "Always answer in full paragraphs"),
        ("The beta banner is shown to admins only", "We removed the beta banner, everyone sees the page"),
        ("The linter may print 10 warnings", "The linter prints 0 warnings since Monday"),
        ("Static analysis passes at level 4 before a push", "Static analysis is at level 2"),
        ("Answers in German", "Answers in English"),
        ("Keine Emojis in Commits", "Emojis in Commits sind erlaubt"),
    ],
)
def test_what_directs_may_replace_a_rule(rule, said):
    """An order, a permission and a change, and what is worded as the rule itself is."""
    assert may_replace(said, said, rule)
