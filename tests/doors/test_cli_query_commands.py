"""recall, list, history, log, status: answers with their sources."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path

import pytest
from command_line import Cli

from dopejar.doors.cli import query_commands, recall_command
from dopejar.doors.cli.command_context import CommandContext

QUESTION = "which port does Postgres listen on?"


@pytest.fixture
def learned(cli: Cli, chat: Path) -> None:
    """The chat is learned."""
    assert cli("learn", str(chat)).code == 0


@pytest.mark.usefixtures("learned")
def test_recall_answers_within_its_budget_and_cites(cli: Cli) -> None:
    """The answer holds what was said, has no more tokens than the budget, and each item has a source."""
    ran = cli("recall", QUESTION, "--budget", "120", "--json")
    assert ran.code == 0
    assert "5433" in ran.data["text"]
    assert 0 < ran.data["tokens"] <= 120
    assert all(one["citations"] for one in ran.data["items"])


@pytest.mark.usefixtures("learned")
def test_recall_explains_why_each_item_was_taken(cli: Cli) -> None:
    """`--explain` adds the reasons and the sources behind the same text."""
    plain = cli("recall", QUESTION)
    explained = cli("recall", QUESTION, "--explain")
    assert explained.out.startswith(plain.out)
    assert "why" in explained.out
    assert "tokens" in explained.out


@pytest.mark.usefixtures("learned")
def test_recall_of_something_unknown_is_silence_and_a_remark(cli: Cli) -> None:
    """Nothing found prints nothing where the answer goes, so that a pipe stays empty."""
    ran = cli("recall", "zeppelin xylophone quokka")
    assert ran.code == 0
    assert ran.out.strip() == ""
    assert "Nothing in memory" in ran.err


@pytest.mark.usefixtures("learned")
def test_recall_of_records_only_and_kinds(cli: Cli) -> None:
    """Quotations and other kinds can be left out."""
    items = cli("recall", QUESTION, "--records-only", "--json").data["items"]
    assert {one["source"] for one in items} == {"record"}
    assert cli("recall", QUESTION, "--kind", "alias", "--json").data["items"] == []


def test_recall_in_an_unknown_project_is_not_found(cli: Cli) -> None:
    """A project in which nothing was learned is named, with exit code 5."""
    ran = cli("recall", QUESTION, "--project", "nowhere")
    assert ran.code == 5
    assert "nowhere" in ran.err


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (["recall"], 2),
        (["recall", "x", "--budget", "0"], 2),
        (["recall", "x", "--budget", "many"], 2),
        (["recall", "x", "--kind", "nonsense"], 2),
        (["recall", "x", "--as-of", "someday"], 2),
        (["recall", "x", "--limit", "5000"], 2),
        (["show", "m_nothing"], 5),
        (["review", "show", "p_nothing"], 5),
        (["review", "show", "7"], 5),
        (["log", "--limit", "0"], 2),
        (["list", "--scope", "nonsense"], 2),
        (["list", "--conversation", "nothing"], 5),
    ],
)
def test_what_cannot_be_meant_or_found_ends_with_one_sentence(cli: Cli, words: list[str], code: int) -> None:
    """Wrong usage is 2, what is not there is 5; either way one line on the side says what was wrong."""
    ran = cli(*words)
    assert ran.code == code, ran.err
    assert ran.out == ""
    assert len(ran.err.strip().splitlines()) == 1


LINES = [
    "which port",
    "which port --explain",
    "port --budget 99 --limit 3 --json",
    "port --budget=99 --as-of=2026-01-01 --believed-at 2026-02-02T10:00",
    "--kind rule --kind fact port --language go --language python",
    "--records-only --all-projects -q port --project atlas --namespace test",
    "--home elsewhere port -- --explain",
    "two words here",
]


@pytest.mark.parametrize("line", LINES)
def test_short_and_long_way_to_recall_read_the_same(cli: Cli, line: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """What the short way reads from a command line is what the command tree reads from it."""
    seen: list[tuple[CommandContext, str, dict]] = []

    def note(context: CommandContext, question: str, **options: object) -> int:
        seen.append((context, question, options))
        return 0

    monkeypatch.setattr(recall_command, "recall", note)
    assert cli("recall", *line.split()).code == 0
    monkeypatch.setattr(recall_command, "parse", lambda _: None)
    assert cli("recall", *line.split()).code == 0
    (short, asked, options), (long, asked_long, all_options) = seen
    assert asked == asked_long
    assert replace(short, trace_id=long.trace_id) == long
    defaults = {"budget": None, "limit": 50, "as_of": "", "believed_at": "", "namespace": "prod", "why_not": ""}
    defaults |= {"explain": False, "records_only": False, "all_projects": False, "kinds": [], "languages": []}
    assert {**defaults, **options} == {name: list(v) if v == () else v for name, v in all_options.items()}


@pytest.mark.parametrize(
    "line", ["", "--explain", "x --budget", "x --budget 0", "x --no", "x --help", "x --kind no", "x -z", "x --limit 9k"]
)
def test_unusual_command_lines_go_the_long_way(line: str) -> None:
    """The short way explains nothing: whatever is not plainly right is left to the command tree."""
    assert recall_command.parse(line.split()) is None


def test_short_way_knows_every_option_of_recall(cli: Cli) -> None:
    """An option that the command tree has is read by the short way, too."""
    help_text = cli("recall", "--help").out
    named = {word.strip(",") for word in help_text.split() if word.startswith("--")} - {"--help"}
    assert named <= {*recall_command.FLAGS, *recall_command.TEXTS, *recall_command.NUMBERS, *recall_command.LISTS}
    assert query_commands.recall.__doc__


@pytest.mark.usefixtures("learned")
def test_list_filters(cli: Cli) -> None:
    """A listing is narrowed by kind, status, key and conversation."""
    every = cli("list", "--json").data["records"]
    assert {one["status"] for one in every} == {"active"}
    kinds = {one["kind"] for one in every}
    for kind in kinds:
        assert {one["kind"] for one in cli("list", "--kind", kind, "--json").data["records"]} == {kind}
    assert len(cli("list", "--conversation", "planning", "--json").data["records"]) == len(every)
    assert cli("list", "--status", "erased").err.strip() == "No memory matches these filters."


def test_list_finds_a_word_and_what_took_the_place_of_a_memory(cli: Cli) -> None:
    """A word narrows the listing, in any case and behind any limit; a replaced memory names its successor."""
    for said in ("The kiln runs on port 7100.", "The lamp is green.", "The kiln runs on port 7200."):
        assert cli("remember", said, typed="").code == 0
    assert [one["text"] for one in cli("list", "LAMP", "--json").data["records"]] == ["The lamp is green"]
    assert len(cli("list", "the", "--limit", "1", "--json").data["records"]) == 1
    assert cli("list", "zeppelin").err.strip() == "No memory matches these filters."
    assert cli("list", "lamp", "--since", "7d").code == 2
    replaced = "The kiln runs on port 7100; replaced by: The kiln runs on port 7200"
    for words in (("--status", "superseded"), ("--since", "7d")):
        assert replaced in cli("list", *words).out


def test_an_empty_memory_says_how_to_begin(cli: Cli) -> None:
    """Where nothing was ever kept, `list` and `status` name the commands that add something; filters are filters."""
    for words in (("list",), ("status",)):
        assert "`dopejar remember TEXT`" in cli(*words).err
    assert cli("list", "--tag", "x").err.strip() == "No memory matches these filters."


@pytest.mark.usefixtures("learned")
def test_history_by_id_by_its_beginning_and_by_key(cli: Cli) -> None:
    """A memory is found by its id, a beginning of it, and its key; its evidence and acts are shown."""
    record = next(one for one in cli("list", "--json").data["records"] if "5433" in one["text"])
    for name in (record["id"], record["id"][:10], record["key"]):
        found = cli("show", name, "--json").data
        assert found["record"]["id"] == record["id"]
        assert found["evidence"]
        assert found["entries"]
    text = cli("show", record["id"]).out
    assert record["text"] in text
    assert "evidence" in text


@pytest.mark.usefixtures("learned")
def test_log_verifies_and_proves_an_earlier_head(cli: Cli) -> None:
    """The chain holds; a head noted earlier lies on it later; a made-up one does not, with exit code 1."""
    head = cli("log", "--verify", "--json").data["head"]["hash"]
    cli("remember", "I prefer dark mode.", typed="")
    later = cli("log", "--verify", "--head", head, "--json")
    assert later.code == 0
    assert later.data["found_head"] is True
    assert cli("log", "--verify", "--head", "0f" * 32).code == 1


@pytest.mark.usefixtures("learned")
def test_log_lists_acts_and_conversations(cli: Cli) -> None:
    """The newest acts and the conversations are listed, as text and as data."""
    acts = cli("log", "--json").data["acts"]
    assert acts[0]["proposer"] == "learn"
    assert acts[0]["act_id"] in cli("log").out
    assert "planning" in cli("log", "--conversations").out


@pytest.mark.usefixtures("learned")
def test_one_act_shows_everything_it_changed(cli: Cli) -> None:
    """By its id or its beginning: who stands behind it, and each memory with its words and states."""
    records = {one["id"]: one["text"] for one in cli("list", "--json").data["records"]}
    for act in cli("log", "--json").data["acts"]:
        shown = cli("show", act["act_id"]).out
        assert cli("show", act["act_id"][:10]).out == shown
        assert act["proposer"] in shown
        for target in act["targets"]:
            assert target in shown
            assert records.get(target, "") in shown
    assert cli("show", "a_nothing").code == 5


@pytest.mark.usefixtures("learned")
def test_status_says_what_there_is(cli: Cli, home: Path) -> None:
    """Status names the file, the counts, what waits and who may decide."""
    ran = cli("status")
    assert str(home) in ran.out
    assert "5" in ran.out
    data = cli("status", "--json").data
    assert data["sizes"]["episodes"] == 5
    assert data["waiting"] == len(cli("review", "--json").data["items"])


@pytest.mark.usefixtures("learned")
def test_read_only_directory_still_recalls(cli: Cli, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where nothing can be written reading goes on, says so once, and writing ends with one sentence."""
    from dopejar import compose

    opened = compose.open_store
    monkeypatch.setattr(compose, "open_store", lambda path, **_: opened(path, read_only=True))
    ran = cli("recall", QUESTION)
    assert ran.code == 0
    assert "5433" in ran.out
    assert ran.err.count("is not writable") == 1
    refused = cli("remember", "I prefer dark mode.", typed="")
    assert refused.code == 1
    assert refused.out == ""


def test_control_characters_do_not_reach_the_terminal(cli: Cli) -> None:
    """Stored words cannot move a cursor or hide text: control characters are written out."""
    cli("remember", "I prefer \x1b[31mred\x1b[0m ink \u202eand tea.", typed="")
    for words in (["list"], ["recall", "red ink"], ["log"]):
        shown = cli(*words).out
        assert "\x1b" not in shown
        assert "\u202e" not in shown


def test_tags_read_as_words(cli: Cli) -> None:
    """A fact about the machine says that it is one; the mark it is kept by is for programs."""
    cli("remember", "The build server runs Ubuntu 22.04.", typed="")
    (record,) = [one for one in cli("list", "--json").data["records"] if "Ubuntu" in one["text"]]
    assert "env:" in record["tags"]
    text = cli("show", record["id"]).out
    assert "environment" in text
    assert "env:" not in text


def test_an_empty_answer_says_where_to_look(cli: Cli) -> None:
    """Where only another project knows it, the one line about that names the option; else it asks for other words."""
    for project in ("alpha", "beta"):
        cli("remember", f"In this project we use zq{project} for the build.", "--project", project, typed="")
    here = cli("recall", "zqalpha", "--project", "beta")
    assert here.out == ""
    assert "--all-projects" in here.err
    assert "zqalpha" in cli("recall", "zqalpha", "--project", "beta", "--all-projects").out
    nowhere = cli("recall", "zqgamma", "--project", "beta")
    assert "Try other words" in nowhere.err


def test_listings_keep_to_the_project_at_hand(cli: Cli) -> None:
    """`list`, `keys` and the queue show what applies here, the queue its other namespaces as numbers."""
    for project in ("alpha", "beta"):
        cli("remember", f"In this project we use zq{project} for the build.", "--project", project, typed="")
        cli("remember", f"In this project zq{project}test is red.", "--project", project, "--namespace", "test")
    for command in (["list"], ["list", "--view", "keys"]):
        assert "zqbeta" not in cli(*command, "--project", "alpha").out
        every = cli(*command, "--all-projects").out
        assert "zqalpha" in every
        assert "zqbeta" in every
        assert "test is red" not in every
    waiting = cli("review", "list")
    assert "test is red" not in waiting.out
    assert "more in the namespace test" in waiting.err
    there = cli("review", "list", "--namespace", "test")
    assert "(test)" in there.out
    assert "project:alpha" in there.out


def test_blocks_and_tags_keep_to_the_project_at_hand(cli: Cli, chat: Path) -> None:
    """`--blocks` and `--tags` show another project's, or another namespace's, where that is asked for."""
    cli("learn", str(chat), "--project", "alpha")
    for shown in ("--blocks", "--tags"):
        here = cli("list", shown, "--project", "alpha")
        assert here.out.strip()
        there = cli("list", shown, "--project", "beta")
        assert (there.out.strip(), "--all-projects" in there.err) == ("", True)
        assert cli("list", shown, "--project", "alpha", "--namespace", "test").out.strip() == ""
        assert cli("list", shown, "--project", "beta", "--all-projects").out == here.out
        assert cli("list", shown, "--project", "beta", "--conversation", str(chat)).out == here.out


def test_people_see_a_project_by_its_name_and_can_ask_by_it(
    cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Lists, the queue and a proposal show the project's label, never its id; data keep the id; both select."""
    project = tmp_path / "pantry"
    (project / ".git").mkdir(parents=True)
    monkeypatch.chdir(project)
    assert cli("remember", "Never push to main").code == 4
    queue = cli("review", "list")
    shown = cli("review", "show", queue.out.split()[queue.out.split().index("1") + 1])
    waiting = cli("list", "--status", "staged")
    project_id = cli("list", "--status", "staged", "--json").data["records"][0]["scope"].partition(":")[2]
    assert project_id.startswith("path-")
    for ran in (queue, shown, waiting):
        assert "project:pantry" in ran.out
        assert project_id not in ran.out
    for name in ("pantry", project_id):
        assert cli("list", "--status", "staged", "--scope", f"project:{name}").out == waiting.out


def test_list_since_tells_what_was_learned_and_retired(cli: Cli) -> None:
    """A line for each, with its id and the act that `undo` takes; a date is its beginning, `7d` a week ago."""
    for port in (7100, 7200):
        assert cli("remember", f"The kiln runs on port {port}.", typed="").code == 0
    acts = [act["act_id"] for act in cli("log", "--json").data["acts"]]
    today, tomorrow = (f"{datetime.now().astimezone() + timedelta(days=days):%F}" for days in (0, 1))
    for since in ("7d", today, f"{today}T00:00"):
        new, old = cli("list", "--since", since, "--json").data["changes"]
        assert (new["change"], new["record"]["text"]) == ("learned", "The kiln runs on port 7200")
        assert (old["change"], old["record"]["text"]) == ("replaced", "The kiln runs on port 7100")
        assert new["act_id"] == old["act_id"] == acts[0]
    lines = cli("list", "--since", "7d").out.splitlines()
    assert [old["record"]["id"] in line and acts[0] in line for line in lines] == [False, False, True]
    assert len(cli("list", "--since", "7d", "--status", "active", "--json").data["changes"]) == 1
    nothing = cli("list", "--since", tomorrow)
    assert (nothing.code, nothing.out) == (0, "")
    assert f"since {tomorrow} 00:00" in nothing.err


@pytest.mark.parametrize("words", [["--since", "lately"], ["--since", "7"], ["--since", "7d", "--view", "keys"]])
def test_a_wrong_since_is_refused(cli: Cli, words: list[str]) -> None:
    """What is no date, or goes with another listing, is refused in one sentence."""
    ran = cli("list", *words)
    assert ran.code == 2
    assert "--since" in ran.err


LONG = "The lighthouse server runs on port 7700 in the lantern room of the north tower" + " of the old mole" * 6 + "."


def test_show_prints_whole_texts(cli: Cli) -> None:
    """A memory, its evidence and its versions, a subject and an act: nothing of a long text is left out."""
    cli("remember", LONG, typed="")
    (record,) = cli("list", "--json").data["records"]
    (act,) = cli("log", "--json").data["acts"]
    text = record["text"]
    assert text in LONG
    assert cli("show", record["id"]).out.count(text) == 2
    assert text in cli("show", act["act_id"]).out
    (about, *_) = cli("list", "--view", "dossiers", "--json").data["dossiers"]
    dossier = cli("show", about["id"]).out
    assert text in dossier
    assert "…" not in dossier
    assert "…" in cli("list").out


def test_show_tells_that_another_project_knows_a_subject(cli: Cli) -> None:
    """As recall does; and nothing of the kind for a name that nobody knows, or where all projects were asked."""
    cli("remember", "Merlin was renamed to Kestrel.", "--project", "alpha", typed="")
    there = cli("show", "Kestrel", "--project", "beta")
    assert there.code == 5
    assert "--all-projects" in there.err
    assert cli("show", "Kestrel", "--project", "beta", "--all-projects").code == 0
    for words in (["Osprey", "--project", "beta"], ["Osprey", "--all-projects"]):
        ran = cli("show", *words)
        assert (ran.code, "another project" in ran.err) == (5, False)
