"""C: isolation of projects and namespaces. Random statements in three projects and three namespaces, each with a word of its own;
then every way of asking, in every context, and each word that must not be seen there is looked for.

What may be seen is read from the store itself: a record's scope and namespace, a turn's project and conversation.
"""

from __future__ import annotations

import json
import random
import re
import sqlite3
import sys

from common import PASS, Cli, Tally, arguments, fresh, neutral, versions

PROJECTS = ("alpha", "beta", "")
NAMESPACES = ("prod", "test", "ephemeral")
SHAPES = (
    "The {w} service listens on port {n}.",
    "The {w} database is backed up by {v}.",
    "In this project we use {w} for the build.",
    "Always run {w} before a release in this project.",
    "Never deploy {w} on a Friday here.",
    "We decided to use {w} for the queue of this project.",
    "{W} depends on {V}.",
    "The {w} team is led by {V}.",
    "This repository keeps its docs in {w}.",
    "I prefer {w} for tables in this project.",
    "{W} is part of {V}.",
    "Use {w} instead of {v} in this project.",
    "The staging server of {w} is {v}.example.",
    "Tests of {w} live in tests/{v}.",
)
WORD = re.compile(r"zq(?:[bcdfglmnprst][aeiou]){3}")  # of `word` below alone: a random id may have "zq", too


def word(rng):
    return "zq" + "".join(rng.choice("bcdfglmnprst") + rng.choice("aeiou") for _ in range(3))


def main() -> int:
    args = arguments(__doc__, (["--count"], dict(type=int, default=330)), (["--seed"], dict(type=int, default=2)))
    t, rng = Tally(), random.Random(args.seed)
    from dopejar import open_memory
    from dopejar.errors import DopejarError

    home = fresh(args.work, "isolation")
    settings = {"DOPEJAR_EMBEDDER_KIND": "hashed"}
    handles = {p: open_memory(home, project=p, environment=settings, said_by="user") for p in PROJECTS}
    handles[""].reviewers.add("ana", PASS)
    by = handles[""].reviewers.unlock(PASS)
    said: dict[str, tuple[str, str]] = {}
    for n in range(args.count):
        project, namespace = rng.choice(PROJECTS), rng.choice(NAMESPACES + ("prod",) * 3)
        memory = handles[project]
        a, b = word(rng), word(rng)
        said[a] = said[b] = (project, namespace)
        text = rng.choice(SHAPES).format(w=a, v=b, W=a.capitalize(), V=b.capitalize(), n=3000 + n)
        kind = rng.randrange(10)
        try:
            if kind < 6:
                memory.remember(
                    text, said_by=rng.choice(["user", "user", "user", "tool", "assistant"]), namespace=namespace
                )
            elif kind == 6:
                list(
                    memory.learn(
                        [
                            neutral(
                                args.work / "iso.jsonl",
                                [
                                    ("user", text),
                                    ("assistant", f"I used {b} there."),
                                    ("user", f"no, never use {a} for that, use {b}"),
                                    ("tool", f"{a} failed"),
                                ],
                                session=f"iso{n}",
                            )
                        ],
                        namespace=namespace,
                    )
                )
            elif kind == 7 and namespace == "prod":
                memory.bullets.add(f"Always check {a} before {b} is called.", bullet_type="tool_rule")
            elif kind == 8 and memory.review.queue():
                item = rng.choice(memory.review.queue())
                memory.review.approve([item.proposal.id], by, seen=versions(item))
            else:
                memory.maintenance.maintain(budget_s=0.2)
        except DopejarError as fault:
            t.check(
                "random work goes on",
                type(fault).__name__ in ("StaleProposalError", "RefusedError", "InputError"),
                repr(fault)[:200],
            )
    for memory in handles.values():
        for item in memory.review.queue(limit=60):
            if rng.random() < 0.7:
                try:
                    memory.review.approve([item.proposal.id], by, seen=versions(item))
                except DopejarError:
                    pass
    handles[""].maintenance.maintain()
    db = sqlite3.connect(f"file:{home / 'dopejar.db'}?mode=ro", uri=True)
    visible: dict[tuple[str, str], set[str]] = {(p, n): set() for p in PROJECTS for n in NAMESPACES}
    for text, scope, namespace in db.execute("SELECT text, scope, namespace FROM records"):
        for w in WORD.findall(text.lower()):
            for p in PROJECTS:
                if scope == "universal" or scope == f"project:{p}":
                    visible[p, namespace].add(w)
    for text, project, namespace in db.execute(
        "SELECT e.text, e.project, c.namespace FROM episodes e JOIN conversations c ON c.id = e.conversation"
    ):
        for w in WORD.findall(text.lower()):
            for p in PROJECTS:
                if project in ("", p):
                    visible[p, namespace].add(w)
    scopes = dict(db.execute("SELECT scope || ' ' || namespace, count(*) FROM records GROUP BY 1"))
    t.note("records by scope and namespace", scopes)
    db.close()
    words = sorted({w for v in visible.values() for w in v})
    t.note("words", len(words))
    asked = rng.sample(words, min(110, len(words)))

    def look(name: str, text: str, project: str, namespace: str) -> None:
        seen = set(WORD.findall(text.lower()))
        leaked = {w for w in seen if w not in visible[project, namespace] and w not in current}
        t.check(
            f"no leak by {name}",
            not leaked,
            f"in {project or 'no project'}, {namespace}: "
            + "; ".join(f"{w} of {said.get(w)}" for w in sorted(leaked)[:4])
            + f" | {text[:160]}",
        )

    for project in PROJECTS:
        memory = handles[project]
        for namespace in NAMESPACES:
            for w in asked:
                current = {w}
                for more in ({}, {"explain": True}):
                    pack = memory.recall(f"what about {w}?", namespace=namespace, **more)
                    look(
                        "recall",
                        pack.text
                        + json.dumps(
                            [[i.text, [c.quote for c in i.citations], str(getattr(i, "why", ""))] for i in pack.items]
                        ),
                        project,
                        namespace,
                    )
                current = {w}
                try:
                    found = memory.graph.neighbourhood(w, depth=3, namespace=namespace)
                    look(
                        "graph",
                        " ".join(
                            f"{x.near} {x.far} {x.name} {x.text} {[c.quote for c in x.citations]}"
                            for x in found.neighbours
                        )
                        + " ".join(found.known_as),
                        project,
                        namespace,
                    )
                except DopejarError as fault:
                    look("an error of graph", str(fault), project, namespace)
                try:
                    memory.graph.neighbourhood(w[:-1] + "x", namespace=namespace)
                except DopejarError as fault:
                    current = {w[:-1] + "x"}
                    look("names that graph suggests", str(fault), project, namespace)
            current = set()
            for question in (
                "which port",
                "which service",
                "always release",
                "database queue build",
                "who leads the team",
                "tests docs staging server",
            ):
                look(
                    "recall of common words",
                    memory.recall(question, namespace=namespace, budget=20_000, limit=500).text,
                    project,
                    namespace,
                )
                if namespace == "prod":
                    from datetime import UTC, datetime

                    look(
                        "recall --as-of",
                        memory.recall(question, as_of=datetime.now(UTC), budget=20_000, limit=500).text,
                        project,
                        namespace,
                    )
                    look(
                        "recall --believed-at",
                        memory.recall(question, believed_at=datetime.now(UTC), budget=20_000, limit=500).text,
                        project,
                        namespace,
                    )
                    look(
                        "recall --kind",
                        memory.recall(
                            question,
                            kinds=["rule", "fact", "bullet", "preference", "correction", "decision", "constraint"],
                            budget=20_000,
                            limit=500,
                        ).text,
                        project,
                        namespace,
                    )
                    look(
                        "recall --language",
                        memory.recall(
                            question, languages=["python", "x'); --", "project:alpha"], budget=20_000, limit=500
                        ).text,
                        project,
                        namespace,
                    )
            look(
                "keys [lists every project by design]", str(memory.surveys.keys("", namespace)), project, namespace
            ) if namespace != "prod" else None
            hygiene = memory.surveys.hygiene(namespace)
            look(
                "hygiene [every project of the namespace by design]",
                "" if namespace == "prod" else str(hygiene),
                project,
                namespace,
            )
        current = set()
        look("profile", str(memory.surveys.profile()), project, "prod")
        look("decisions", str(memory.surveys.decisions()), project, "prod")
        look("instructions", memory.surveys.instructions(budget=100_000), project, "prod")
        look("corrections [every project?]", str(memory.surveys.corrections()), project, "prod")
        for w in asked[:40]:
            current = {w}
            look("check", str(memory.check("Bash", {"command": f"{w} deploy --now && echo {w}"})), project, "prod")
        bullets = memory.bullets
        current = set()
        for side in ("left", "right"):
            look("bullets find", str(bullets.retrieve("always check before it is called", side, 50)), project, "prod")
        look("bullets export", bullets.export_playbook(with_staged=True), project, "prod")
    # the terminal, in the directory of a project
    for project in PROJECTS:
        cli = Cli(args.dopejar, home, DOPEJAR_EMBEDDER_KIND="hashed")
        base = ("--project", project) if project else ()
        for w in asked[:12]:
            current = {w}
            look("recall (terminal)", cli("recall", f"about {w}", "--explain", *base).stdout, project, "prod")
            look("graph (terminal)", (lambda d: d.stdout + d.stderr)(cli("graph", w, *base)), project, "prod")
        current = set()
        for words_ in (
            ("list", "--view", "profile"),
            ("list", "--view", "decisions"),
            ("instructions",),
            ("bullets", "find", "check before call"),
            ("bullets",),
            ("list", "--view", "corrections"),
        ):
            look(f"`{' '.join(words_[:2])}` (terminal)", cli(*words_, *base).stdout, project, "prod")
        for words_ in (
            ("list", "--limit", "500"),
            ("session",),
            ("status",),
            ("review", "list"),
            ("show", asked[0]),
            ("list", "--view", "keys"),
        ):
            out = cli(*words_, *base).stdout
            seen = {w for w in WORD.findall(out.lower()) if w not in visible[project, "prod"]}
            if seen:
                t.note(
                    f"`{words_[0]}` in {project or 'no project'} shows words of other contexts",
                    f"{len(seen)}, e.g. {sorted(seen)[0]} of {said.get(sorted(seen)[0])}",
                )
            other = {w for w in WORD.findall(out.lower()) if not any(w in visible[p, "prod"] for p in PROJECTS)}
            t.check(
                f"`{words_[0]}` shows nothing of test or ephemeral",
                not other,
                f"{len(other)}: {[(w, said.get(w)) for w in sorted(other)[:3]]}",
            )
    # a past state, in another project: images of states carry scope and namespace too
    return t.finish(args.out)


if __name__ == "__main__":
    sys.exit(main())
