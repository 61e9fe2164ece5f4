"""Detection of the project that a directory belongs to, and of its instruction files.

Takes: a directory. Gives: a project and texts. Never: runs a program, or fails for a missing directory.
"""

from __future__ import annotations

import os
import re
from collections import Counter
from hashlib import sha256
from pathlib import Path

from dopejar.values.scope import Project

_BOOT_FILES = (
    "CLAUDE.md",
    "CLAUDE.local.md",
    ".claude/CLAUDE.md",
    "AGENTS.md",
    "GEMINI.md",
    ".cursorrules",
    ".windsurfrules",
    ".github/copilot-instructions.md",
)
_LONGEST_BOOT_FILE = 200_000  # bytes; a longer file is no instruction file
_MARKERS = (".git", "pyproject.toml", "package.json", "Cargo.toml", "go.mod", "pom.xml", "Gemfile", "composer.json")
_LANGUAGES = {
    ".py": "python",
    ".go": "go",
    ".rs": "rust",
    ".ts": "typescript",
    ".tsx": "typescript",
    ".js": "javascript",
    ".jsx": "javascript",
    ".java": "java",
    ".kt": "kotlin",
    ".rb": "ruby",
    ".php": "php",
    ".cs": "csharp",
    ".cpp": "cpp",
    ".cc": "cpp",
    ".c": "c",
    ".swift": "swift",
    ".scala": "scala",
    ".sh": "shell",
    ".sql": "sql",
}
_MOST_FILES = 2000
_SKIPPED = frozenset({"node_modules", "vendor", "dist", "build", "target", "site-packages"})
_REMOTE = re.compile(r'\[remote "(?P<name>[^"]+)"\](?P<body>[^\[]*)')
_URL = re.compile(r"^\s*url\s*=\s*(?P<url>\S+)", re.MULTILINE)
_SCHEME = re.compile(r"^(?:[a-z+]+://)?(?:[^@/]+@)?")


def normalised_remote(url: str) -> str:
    """A remote's address without scheme, credentials and `.git`, so that ssh and https name the same project."""
    rest = _SCHEME.sub("", url.strip(), count=1)
    host, sep, path = rest.partition(":")
    if sep and "/" not in host and not path[:1].isdigit():
        rest = f"{host}/{path}"
    return rest.removesuffix("/").removesuffix(".git").lower()


def project_root(path: Path) -> Path | None:
    """The nearest ancestor directory with a project marker; a repository root wins over any other marker."""
    try:
        places = [path, *path.parents]
        for place in places:
            if (place / ".git").exists():
                return place
        return next((place for place in places if any((place / marker).exists() for marker in _MARKERS)), None)
    except OSError:
        return None  # an unreadable directory belongs to no known project


def branch_of(path: Path) -> str:
    """The branch checked out at a path; "" outside a repository or with a detached head."""
    root = project_root(path)
    try:
        head = (_git_of(root) / "HEAD").read_text(encoding="utf-8", errors="replace") if root else ""
    except OSError:
        return ""
    return head.partition("ref: refs/heads/")[2].strip()


def _git_of(root: Path) -> Path:
    """The git directory of a repository: `.git`, or in a worktree the directory that the `.git` file names."""
    git = root / ".git"
    if not git.is_file():
        return git
    return (root / git.read_text(encoding="utf-8").partition("gitdir:")[2].strip()).resolve()


def _remote(root: Path) -> str:
    try:
        git = _git_of(root)
        shared = git if git == root / ".git" else git.parent.parent  # a worktree shares its repository's config
        config = shared / "config"
        text = config.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""
    urls = {match["name"]: _URL.search(match["body"]) for match in _REMOTE.finditer(text)}
    url = urls.get("origin") or next((match for match in urls.values() if match), None)
    return normalised_remote(url["url"]) if url else ""


def languages_of(root: Path) -> tuple[str, ...]:
    """The programming languages with at least a tenth of the source files, most files first; three at most."""
    counts: Counter[str] = Counter()
    seen = 0
    waiting = [str(root)]
    while waiting and seen < _MOST_FILES:
        try:
            with os.scandir(waiting.pop(0)) as found:  # a hook waits for it: entries know what they are
                entries = sorted((one.name, one.path, one.is_dir()) for one in found)
        except OSError:
            continue
        for name, path, is_directory in entries:
            seen += 1
            stem, _, ending = name.rpartition(".")
            language = _LANGUAGES.get(f".{ending.lower()}") if stem else None
            if language:
                counts[language] += 1
            elif is_directory and not name.startswith(".") and name not in _SKIPPED:
                waiting.append(path)
    total = counts.total()
    return tuple(name for name, count in counts.most_common(3) if count * 10 >= total)


def detect_project(path: Path) -> Project | None:
    """The project that a directory belongs to; a directory that is gone is identified by its path alone.

    The id is the normalised remote of the repository, else a hash of the root path; the label is the root's name.
    """
    absolute = path.expanduser().absolute()
    root = project_root(absolute) if absolute.is_dir() else None
    if root is None and absolute.is_dir():
        return None
    place = root or absolute
    remote = _remote(place) if root else ""
    project_id = remote or f"path-{sha256(str(place).encode('utf-8', 'surrogatepass')).hexdigest()[:16]}"
    return Project(id=project_id, label=place.name or str(place), languages=languages_of(place) if root else ())


def read_instruction_files(path: Path) -> tuple[str, ...]:
    """The texts of the instruction files that an assistant reads when it starts in this directory."""
    texts = []
    root = project_root(path) or path
    for place in dict.fromkeys((path, root)):
        for name in _BOOT_FILES:
            file = place / name
            try:
                if file.is_file() and file.stat().st_size <= _LONGEST_BOOT_FILE:
                    texts.append(file.read_text(encoding="utf-8", errors="replace"))
            except OSError:
                continue  # unreadable, so the assistant did not read it either
    return tuple(texts)
