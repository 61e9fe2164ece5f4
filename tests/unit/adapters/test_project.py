"""Which project a directory belongs to."""

import pytest

from dopejar.adapters.project_detection import detect_project, languages_of, normalised_remote, read_instruction_files


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("https://example.org/team/atlas.git", "example.org/team/atlas"),
        ("git@example.org:team/atlas.git", "example.org/team/atlas"),
        ("ssh://git@example.org/team/atlas", "example.org/team/atlas"),
        ("ssh://git@example.org:2222/team/atlas.git", "example.org:2222/team/atlas"),
        ("https://user:pass@example.org/Team/Atlas/", "example.org/team/atlas"),
    ],
)
def test_remotes_of_one_repository_are_one(url, expected):
    """Scheme, credentials and ending do not matter."""
    assert normalised_remote(url) == expected


def repository(folder, remote=""):
    """A directory that looks like a repository."""
    (folder / ".git").mkdir(parents=True)
    body = f'[remote "origin"]\n\turl = {remote}\n' if remote else "[core]\n"
    (folder / ".git" / "config").write_text(body)
    return folder


def test_a_repository_is_known_by_its_remote(tmp_path):
    """From anywhere inside, the project is the repository; its label is the root's name."""
    root = repository(tmp_path / "atlas", "git@example.org:team/atlas.git")
    inner = root / "src" / "deep"
    inner.mkdir(parents=True)
    found = detect_project(inner)
    assert (found.id, found.label) == ("example.org/team/atlas", "atlas")


def test_without_a_remote_the_path_decides(tmp_path):
    """Two repositories without remotes are two projects, each the same from inside."""
    one, two = repository(tmp_path / "one"), repository(tmp_path / "two")
    assert detect_project(one).id != detect_project(two).id
    (one / "sub").mkdir()
    assert detect_project(one / "sub").id == detect_project(one).id


def test_no_project_and_gone_directories(tmp_path):
    """A plain directory is no project; one that is gone is known by its path."""
    (tmp_path / "plain").mkdir()
    assert detect_project(tmp_path / "plain") is None or detect_project(tmp_path / "plain").label != "plain"
    gone = detect_project(tmp_path / "was" / "here")
    assert gone.label == "here"
    assert gone.id.startswith("path-")


def test_languages_by_share(tmp_path):
    """Languages with at least a tenth of the files, most first; vendored folders do not count."""
    for number in range(20):
        (tmp_path / f"a{number}.py").write_text("")
    for number in range(5):
        (tmp_path / f"b{number}.ts").write_text("")
    (tmp_path / "one.go").write_text("")
    (tmp_path / "node_modules").mkdir()
    for number in range(50):
        (tmp_path / "node_modules" / f"c{number}.js").write_text("")
    assert languages_of(tmp_path) == ("python", "typescript")


def test_boot_texts_are_read_from_the_root(tmp_path):
    """Instruction files of the directory and of its project's root are found; huge ones are not."""
    root = repository(tmp_path / "atlas")
    (root / "AGENTS.md").write_text("Run the tests before each commit.")
    (root / "CLAUDE.md").write_text("x" * 300_000)
    (root / "src").mkdir()
    assert read_instruction_files(root / "src") == ("Run the tests before each commit.",)
