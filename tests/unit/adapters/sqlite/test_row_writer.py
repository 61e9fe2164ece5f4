"""Rows are written in the way that keeps the full-text index small."""

from contextlib import closing
from pathlib import Path

import apsw

from dopejar.adapters.sqlite import SqliteStore
from dopejar.memory.append import AdmittedEpisodes, append
from dopejar.testing.builders import a_conversation, an_episode


def test_the_turns_of_a_transaction_share_few_segments(tmp_path: Path) -> None:
    """A batch of turns makes one segment of the full-text index, not one for each turn."""
    path = tmp_path / "store.db"
    turns = tuple(an_episode(f"turn {place} about bread", place) for place in range(50))
    with closing(SqliteStore.open(path)) as store, store.write() as tx:
        append(tx, a_conversation(), AdmittedEpisodes(episodes=(*turns, turns[0])))
    with closing(apsw.Connection(str(path))) as file:
        ((segments, rows),) = file.execute("SELECT count(DISTINCT origin), count(*) FROM episodes_text_docsize")
    assert (segments, rows) == (1, 50)
