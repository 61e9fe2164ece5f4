"""Exceptions and choices, read from words alone."""

import pytest

from dopejar.pipelines.ingest.integrity.choices import chooses_again, refuses_choice, refuses_value
from dopejar.pipelines.ingest.integrity.exceptions import is_exception

NARROWER = [
    ("Never deploy on Fridays.", "Friday deploys are fine for hotfixes."),
    ("Never edit migrations.", "Editing a migration is ok as long as it was never released."),
    ("Never call the API in a loop.", "Calling the API in a loop is fine if the calls are batched."),
    ("Never force push.", "On my own branches you can force push."),
    ("Always run the linter.", "Don't run the linter on vendored code."),
    ("Never commit generated files.", "The lock file is an exception."),
    ("No shoes in the flat.", "Shoes are fine on the balcony."),
    ("Use poetry instead of pip.", "Use conda instead of poetry for the notebooks."),
]
NO_NARROWER = [
    ("Never deploy on Fridays.", "Deploying on Fridays is fine again."),
    ("No default exports.", "Default exports are fine in this repo."),
    ("No default exports.", "Default exports are fine with me."),
    ("Never merge without a review.", "Merging without a review is fine in future."),
    ("Always ask before you push.", "You don't need to ask before you push."),
    ("Home office is allowed on Mondays.", "Home office is allowed on Tuesdays and Thursdays."),
    ("Write commit messages in English.", "Write commit messages in German."),
    ("Limit lines to 100.", "Limit lines to 120 in this project."),
    ("Never use mocks.", "Mocks are not allowed in tests."),
    ("No semicolons.", "Semicolons are okay, no exceptions."),
]
REFUSING = [
    ("Use requests instead of urllib.", "Use httpx rather than requests."),
    ("Write ADRs in markdown instead of docx.", "Write ADRs in asciidoc instead of markdown."),
    ("Don't use pip here, we use poetry.", "Use uv instead of poetry."),
    ("Take the tram, not the car.", "Take the bike, not the tram."),
    ("Use pdm for packages instead of pip.", "Please use rye instead of pdm from now on."),
]
NOT_REFUSING = [
    ("Use uv instead of pip.", "Use uv instead of poetry."),
    ("Never use npm.", "Use pnpm, not npm."),
    ("Use staging, not production.", "Use staging, not production."),
    ("Use tabs over spaces.", "Move over to the right."),
    ("We use yarn workspaces.", "We use turbo, not yarn berry."),
    ("Deploy from main.", "Deploy with fly instead of heroku."),
]


@pytest.mark.parametrize(("rule", "later"), NARROWER)
def test_a_narrower_place_makes_an_exception(rule, later):
    """A permission, or the contrary, that holds in a place which the rule does not name."""
    assert is_exception(rule, later)


@pytest.mark.parametrize(("rule", "later"), NO_NARROWER)
def test_what_is_no_narrower_is_no_exception(rule, later):
    """A permission for all that the rule covers, another value, or a ban."""
    assert not is_exception(rule, later)


@pytest.mark.parametrize(("earlier", "later"), REFUSING)
def test_a_choice_refuses_what_was_chosen(earlier, later):
    """Both name one thing, once as what is used and once as what is not."""
    assert refuses_choice(earlier, later)
    assert not chooses_again(earlier, later)


@pytest.mark.parametrize(("earlier", "later"), NOT_REFUSING)
def test_other_choices_refuse_nothing_that_was_chosen(earlier, later):
    """Choices of other things, of the same thing again, or none."""
    assert not refuses_choice(earlier, later)


@pytest.mark.parametrize(
    ("earlier", "later"),
    [
        ('A "regular" has come 12 times.', "Guests count as regulars from 8 visits on, no longer 12."),
        ("Tickets go stale after 10 days.", "A ticket is stale after 5 days instead of 10."),
        ("Rows land in wh_pallets.", "Rows land in wh_units now, not in wh_pallets any more."),
        ("The season starts in April.", "The season starts in July rather than April."),
    ],
)
def test_a_statement_names_the_value_that_it_replaces(earlier, later):
    """What it says to hold no more is what the earlier one says."""
    assert refuses_value(earlier, later)


@pytest.mark.parametrize(
    ("earlier", "later"),
    [
        ("Tickets go stale after 10 days.", "A ticket is stale after 5 days instead of 12."),
        ("Tickets go stale after 10 days.", "A ticket is stale after 5 days."),
        ("Rows do not land in wh_pallets.", "Rows land in wh_units, not in wh_pallets."),
        ("The season starts in April.", "The season does not start before we have staff."),
        ("Use poetry instead of pip.", "Use uv instead of pip."),
        ("The port is 90.", "The port is 90, not 90."),
        ("The mill runs at night.", "The mill does not run at night."),
        ("The mill runs at night.", "The old mill does not run at night."),
        ("The mill runs at night.", "The mill no longer runs at night."),
    ],
)
def test_another_value_is_not_replaced(earlier, later):
    """Nothing of the earlier one is said to hold no more."""
    assert not refuses_value(earlier, later)
