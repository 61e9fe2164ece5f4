"""What a shell text runs, as against what it only mentions."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dopejar.pipelines.corrections.tool_checks.shell_words import simple_commands


@pytest.mark.parametrize(
    ("text", "commands"),
    [
        ("git push origin main", ("git push origin main",)),
        ("cd a && git push; ls | head -3", ("cd a", "git push", "ls", "head -3")),
        ("echo 'git push origin main'", ("echo …",)),
        ('git commit -m "never push to main"', ("git commit -m …",)),
        ("git push origin topic # not main", ("git push origin topic",)),
        ("STAGE=1 git -C repo -c a=b push origin 'main'", ("git push origin main",)),
        ("sudo -u deploy .venv/bin/pip install x", ("sudo", "pip install x")),
        ("cat <<EOF > notes\ngit push origin main\nEOF\nls", ("cat > notes", "ls")),
        (
            'git commit -m "$(cat <<\'EOF\'\nKeep "main" clean\n\ngit push origin main\nEOF\n)" && ls',
            ("git commit -m …", "ls"),
        ),
        ('bash -c "git push origin main"', ("bash -c …", "git push origin main")),
        ("echo $(git push origin main)", ("echo", "git push origin main")),
        ("for one in *; do rm -rf $one; done", ("for one in *", "rm -rf $one", "done")),
        ("git push \\\n  origin main", ("git push origin main",)),
        ("", ()),
    ],
)
def test_commands_are_told_from_what_they_mention(text, commands):
    """Messages, patterns, comments and documents run nothing; what a shell or a substitution runs, does."""
    assert simple_commands(text) == commands


@given(st.text(alphabet="ab '\"\\$()`;&|<\n#E=-", max_size=60))
def test_any_text_is_read(text):
    """Unbalanced quotes and brackets are read as far as they go; no command is empty."""
    assert all(simple_commands(text)) or not simple_commands(text)
    assert all(one.strip() for one in simple_commands(text))
