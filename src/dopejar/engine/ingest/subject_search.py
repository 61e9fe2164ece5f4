"""The memories that a subject names: by its words, by the property that it names, or by what it means.

Takes: a subject in somebody's words, a snapshot. Gives: the memories in use. Never: guidance for one's own property;
"forget my address" ends no rule that protects it.
"""

from __future__ import annotations

import re
import time
from collections.abc import Collection, Iterator, Sequence
from datetime import datetime
from typing import Final

from dopejar.engine.dependencies import Dependencies, Speaker
from dopejar.engine.ingest.related_record_search import embed_known, semantic_embedder
from dopejar.engine.maintenance.vector_backlog import CATCH_UP_S
from dopejar.errors import EmbedderError
from dopejar.pipelines.ingest.guidance_words import directs_assistant
from dopejar.pipelines.ingest.keys.named_slots import named_slots, other_owner_pattern
from dopejar.pipelines.ingest.privacy_words import about_one
from dopejar.ports.store import ReadView
from dopejar.text.normalisation import fold
from dopejar.text.sentences import Piece, sentences
from dopejar.text.words import index_terms, query_terms
from dopejar.values.episode import WITHHELD, Episode, EpisodeKind, Origin
from dopejar.values.ids import EpisodeId, RecordId
from dopejar.values.recall import RecordFilter, SearchFilter, Source
from dopejar.values.record import Kind, Layer, Record, Status
from dopejar.values.scope import UNIVERSAL, Namespace, ReadScope, Side

IN_USE: Final = frozenset({Status.ACTIVE, Status.QUARANTINED})
_MOST_WAITING: Final = 2000  # or replaced, that are looked through
_MOST: Final = 50  # memories of one subject
_MEANT: Final = 3  # memories that are found by meaning alone
_ALIKE: Final = 0.4  # cosine from which a memory is proposed as meant
_CLEARLY: Final = 0.34  # the same of one that no other comes near to
_AHEAD: Final = 0.04  # by how much that one is nearer than the next
_NEAR: Final = 0.3  # the same from which it is named to a person, and nothing else
_DATE: Final = re.compile(r"\b\d{4}-\d\d(?:-\d\d)?\b")
_TURNS: Final = 5  # that tell of one subject
_SHARED: Final = 0.6  # of a subject's terms stand in words that tell of it
_CAPITAL: Final = re.compile(r"(?<=[\w,;] )[A-Z\u00c0-\u00de][^\W\dA-Z_]\w+")  # within a sentence: a name
_SINGULAR: Final = re.compile(r"(?<!\w)(?:i|i'm|i've|i'd|my|me)(?!\w)")
_MADE: Final = re.compile(  # what people make or keep somewhere else, and have an assistant delete there
    r"(?<!\w)(?:accounts?|alarms?|appointments?|articles?|backups?|blog|boards?|bookmarks?|bookings?|branch(?:es)?|"
    r"calendars?|captions?|cards?|cart|cells?|changes?|channels?|code|columns?|comments?|commits?|configs?|containers?|"
    r"contacts?|copy|databases?|deck|docs?|documents?|downloads?|drafts?|e-?mails?|entries|entry|essay|events?|"
    r"examples?|fields?|files?|folders?|footers?|functions?|headers?|images?|inbox|invitations?|invites?|items?|keys?|"
    r"letters?|lines?|links?|lists?|logs?|logos?|meetings?|menus?|messages?|notes?|notebooks?|orders?|pages?|"
    r"paragraphs?|photos?|pictures?|pipelines?|playlists?|posts?|profiles?|projects?|questions?|quotes?|readme|"
    r"recordings?|reminders?|repos?|reports?|requests?|reservations?|rows?|sections?|sentences?|sessions?|sheets?|"
    r"sites?|slides?|spreadsheets?|stories|story|subscriptions?|tables?|tabs?|tags?|tasks?|tests?|text|tickets?|"
    r"titles?|todos?|tweets?|uploads?|variables?|versions?|videos?|websites?)(?!\w)(?!'s)"
)
_FORM: Final = 6  # letters that two forms of one word have in common
_ASKING: Final = re.compile(r"^(?:how (?:much|many|old|long|often|far|tall|big) |where |when )")
_PART_OF: Final = re.compile(r"the (?P<part>[\w-]+(?: [\w-]+)?) of (?P<whole>(?:my|our) .+)")
_I: Final = re.compile(r"(?<!\w)(?:i|i'm|i've|we|we're|we've|my|ich|eu|yo|je|j|я|já)(?!\w)|我")
_MY: Final = re.compile(r"^my ")
_HAD: Final = re.compile(  # what somebody has is theirs: "that I have arthritis"
    r"^i(?:'ve| (?:still )?(?:have|had))(?: (?:got|had|been diagnosed with))? (?!to )(?:an? |some )?"
    r"|^i (?:suffer|suffered) from (?:an? |some )?"
)
_OWNED: Final = re.compile(r"(?:my|our) ")
_OF_OTHERS: Final = re.compile(
    r"(?<!\bit)(?<!\bthat)'s (?!(?:a|an|the|in|on|at|my)\b)|(?<!\w)(?:his|her|their|your)(?!\w)"
)
_SOMEBODY: Final = re.compile(r"(?<!\w)(?:him|her|them|he|she|they)(?!\w)")  # "what I owe him": of whom is not said
_KIN: Final = re.compile(
    r"(?<!\w)(?:my|our) (?:[\w-]+ )?(?:parents?|mother|mum|mom|father|dad|wife|husband|partner|son|daughter|kids?|"
    r"child|children|twins?|brothers?|sisters?|cousins?|aunt|uncle|grandm\w+|grandf\w+|grandpa|boss|friends?|"
    r"flatmate|roommate|colleagues?|neighbou?rs?)(?!\w)(?! and (?:i|me)(?!\w))"
)
_OWN: Final = re.compile(  # words of the first person
    _I.pattern + r"|(?<!\w)(?:me|mine|our|ours|us|mein\w*|mir|mich"
    r"|meus?|minhas?|mis?|mon|ma|mes|moi|мо[йяеёию]\w*|меня|мне|můj|moje|mě|mně)(?!\w)"
)
_PROPERTY: Final = re.compile(
    r"(?:my|our|mein\w*|unser\w*|meus?|minhas?|nossos?|nossas?|mis?|nuestr[oa]s?|mon|ma|mes|notre|nos|мо[йяеёию]\w*|"
    r"наш\w*|můj|moje|mou|náš|naše|where|when|who|what|which|how)(?!\w)|我的|我们的"
)
_RULE: Final = re.compile(
    r"(?:(?:all|both|of|the|that|this|those|these|your|my|our|two|three) )*(?P<before>.*?) ?(?<!\w)(?:rule|guideline|"
    r"instruction|convention|restriction|requirement|preference|regel|regla|regra|règle|consigne|pravidlo)"
    r"(?P<many>s|n|en)?"
    r"(?: (?:about|on|of|for|against|to|that|not|über|sobre|sur|o)(?!\w) ?(?P<after>.*))?"
)


def names_guidance(subject: str) -> str:
    """What a rule that the subject names is about: "the bullet point rule", "our rule about tabs"; "" for no rule."""
    found = _RULE.fullmatch(fold(subject).strip())
    return f"{found['before']} {found['after'] or ''}".strip() if found else ""


def means_one(subject: str) -> bool:
    """Whether the subject names one memory by what it is about: "the bullet point rule", "the thing about my knee"."""
    said = fold(subject).strip()
    found = _RULE.fullmatch(said)
    return not found["many"] if found else bool(about_one(said))


def find_about(view: ReadView, subject: str, namespace: Namespace = Namespace.PROD) -> tuple[Record, ...]:
    """The memory in use with this id or key, or those that hold every word of the subject which tells something.

    A property of the speaker ("where we live") is found by its slots as well, in whatever words it was told.
    """
    named = view.record(RecordId(subject))
    if named is not None:
        return (named,) if named.status in IN_USE else ()
    keyed = tuple(record for record in view.with_key_anywhere(subject) if record.status in IN_USE)
    if keyed:
        return keyed
    if topic := names_guidance(subject):
        found = [record for record in _sharing(view, topic, namespace) if _is_rule(record, subject)]
        return tuple(record for record in found if _tells(record, topic))
    thing = _thing(subject)
    by_words = [record for record in _sharing(view, thing, namespace) if _tells(record, thing)]
    chains = (view.chain(namespace, UNIVERSAL, Side.NONE, slot) for slot in sorted(named_slots(thing)))
    by_slot = [record for chain in chains for record in chain if record.status in IN_USE]
    every = (*by_words, *by_slot, *_telling_of_another(view, thing, namespace))
    return tuple({record.id: record for record in every if _may_be_meant(record, thing)}.values())


def find_waiting(view: ReadView, subject: str, namespace: Namespace = Namespace.PROD) -> tuple[Record, ...]:
    """What holds every word of the subject, and waits for review."""
    thing = names_guidance(subject) or _thing(subject)
    waiting = view.list_records(RecordFilter(statuses=(Status.STAGED,), namespace=namespace), _MOST_WAITING)
    return tuple(one for one in waiting if _terms_of(thing) and _tells(one, thing))[:_MEANT]


def find_replaced(view: ReadView, subject: str, namespace: Namespace = Namespace.PROD) -> tuple[Record, ...]:
    """The replaced version with this id, or those that hold every word of a subject which names no guidance."""
    thing, named = _thing(subject), view.record(RecordId(subject))
    if named is not None:
        return (named,) if named.status is Status.SUPERSEDED else ()
    if names_guidance(subject) or not _terms_of(thing):
        return ()
    return tuple(one for one in _replaced(view, namespace) if _tells(one, thing) and _may_be_meant(one, thing))


def versions_before(view: ReadView, record: Record) -> tuple[Record, ...]:
    """The versions that led to a memory, of whatever chain, the latest first; none that it says or holds itself."""
    replaced, found = _replaced(view, record.namespace), {record.id: record}
    while more := [one for one in replaced if one.superseded_by in found and one.id not in found]:
        found.update((one.id, one) for one in more)
    own = {(row.episode_id, row.start) for row in view.evidence(record.id)}
    rest = (one for one in found.values() if one is not record)
    return tuple(
        one for one in rest if not own.issuperset((row.episode_id, row.start) for row in view.evidence(one.id))
    )


def _replaced(view: ReadView, namespace: Namespace) -> tuple[Record, ...]:
    return view.list_records(RecordFilter(statuses=(Status.SUPERSEDED,), namespace=namespace), _MOST_WAITING)


def find_naming(view: ReadView, subject: str, namespace: Namespace = Namespace.PROD) -> tuple[Record, ...]:
    """The memories in use that name something, and nothing that the subject does not; else with words of "my" subject.

    They may say the same in other words: "I live in Brno" and "I moved to Brno"; what is mine may be told without "my".
    """
    if names_guidance(subject):
        return ()
    subject = _thing(subject)
    terms, thing = _terms_of(subject), _MY.sub("", subject)
    found = [record for record in _sharing(view, subject, namespace) if _may_be_meant(record, subject)]
    named = tuple(record for record in found if (names := _names_in(record.text)) and names <= terms)
    if named or thing == subject:
        return named
    others = [record for record in _sharing(view, thing, namespace) if _may_be_meant(record, subject)]
    return tuple(one for one in others if _tells(one, thing) and not _OF_OTHERS.search(fold(one.text)))


def find_titled(view: ReadView, subject: str, namespace: Namespace = Namespace.PROD) -> tuple[Record, ...]:
    """The facts in use that may be meant: their words and title, which may be wrong, hold every word of the subject."""
    thing = _thing(subject)
    if names_guidance(subject) or len(_terms_of(thing)) < 2:
        return ()
    found = (one for one in _sharing(view, thing, namespace) if not _guides(one) and _may_be_meant(one, thing))
    return tuple(one for one in found if _tells(one, thing, one.key.replace("-", " ")))


def find_owned(
    deps: Dependencies, subject: str, words: str, namespace: Namespace = Namespace.PROD
) -> tuple[Record, ...]:
    """The fact in use about somebody whom `words` name that is the nearest in meaning to what is theirs. Embeds."""
    owner, _, part = _thing(subject).partition("'s ")
    names = _terms_of(owner)
    if not (part and names) or _MADE.search(part) or not names <= _capitals_of(words.replace("'s", "")):
        return ()
    near = _nearest(deps, _thing(subject), namespace, _ALIKE)
    return tuple(one for _, one in near if not _guides(one) and _has_all(frozenset(index_terms(one.text)), names))[:1]


def find_meant(deps: Dependencies, subject: str, namespace: Namespace = Namespace.PROD) -> tuple[RecordId, ...]:
    """The memories in use of the speaker that may be meant, the nearest first, or one that stands out. Embeds."""
    thing = _thing(subject)
    near = () if names_guidance(subject) else _nearest(deps, thing, namespace, _CLEARLY - _AHEAD)
    known = [(score, one) for score, one in near if _may_be_meant(one, thing) and not _guides(one)]
    is_own = _PROPERTY.match(thing) is not None
    alike = [one.id for score, one in known if is_own and score >= _ALIKE and _OWN.search(fold(one.text))]
    best, second = (*(score for score, _ in known), 0.0, 0.0)[:2]
    stands_out = best >= _CLEARLY and best - second >= _AHEAD
    return tuple(alike[:_MEANT] or (one.id for _, one in known[:stands_out]))


def find_near(deps: Dependencies, subject: str, namespace: Namespace = Namespace.PROD) -> tuple[Record, ...]:
    """The memories nearest in meaning to a subject that none holds, for a person to choose from. Embeds."""
    is_rule = names_guidance(subject)
    thing = is_rule or _thing(subject)
    near = _nearest(deps, thing, namespace, _NEAR)
    return tuple(one for _, one in near if (_is_rule(one, subject) if is_rule else _may_be_meant(one, thing)))[:_MEANT]


def find_surely(view: ReadView, subject: str, words: str, namespace: Namespace = Namespace.PROD) -> tuple[Record, ...]:
    """The facts in use that a subject names beyond doubt, where `words` may as well ask for work on a text.

    That is one's own property by its slots or words, what the words name, and what the speaker told of themselves.
    """
    thing = _thing(subject)
    is_own = _is_own(thing)
    if names_guidance(subject) or (is_own and _MADE.search(thing)):
        return ()
    terms, named = _terms_of(thing), _capitals_of(words)
    slots = [view.chain(namespace, UNIVERSAL, Side.NONE, slot) for slot in sorted(named_slots(thing))]
    found = [record for chain in slots for record in chain if record.status in IN_USE]
    for record in _sharing(view, thing, namespace):
        said = frozenset(index_terms(record.text))
        shared = _shared(said, terms)
        names = shared & (named | _capitals_of(record.text))
        of_self = is_own or (len(terms) > 1 and _SINGULAR.search(fold(record.text)))
        if (of_self and len(shared) == len(terms)) or (
            names and len(shared) > 1 and len(shared) >= _SHARED * len(terms)
        ):
            found.append(record)
    return tuple({one.id: one for one in found if not _guides(one) and _may_be_meant(one, thing)}.values())


def find_named(view: ReadView, subject: str, words: str, namespace: Namespace = Namespace.PROD) -> tuple[Record, ...]:
    """The facts in use that a subject names where `words`, told to the memory itself, may as well be a rule.

    That is what it names beyond doubt, and what holds all of its words unless people delete the thing elsewhere.
    """
    thing = _thing(subject)
    is_elsewhere = _MADE.search(thing) and not _capitals_of(words)
    is_open = is_elsewhere or names_guidance(subject) or len(_terms_of(thing)) < 2
    about = () if is_open else find_about(view, subject, namespace)
    found = (*find_surely(view, subject, words, namespace), *about)
    return tuple({one.id: one for one in found if not _guides(one)}.values())


def turns_telling(
    view: ReadView, subject: str, until: datetime, namespace: Namespace, asking: Speaker
) -> Iterator[tuple[Episode, Piece]]:
    """The turns up to a time, the user's and of who is asking, that tell of a subject; with the first sentence each."""
    thing = names_guidance(subject) or _thing(subject)
    terms, phrase = _terms_of(thing), re.compile(rf"(?<!\w){re.escape(fold(thing))}(?!\w)")
    where = SearchFilter(read_scope=ReadScope(all_projects=True, namespace=namespace), source=Source.EPISODE)
    hits = view.lexical(sorted(terms), where, _MOST) if terms else ()
    turns = view.episodes(tuple(EpisodeId(hit.id) for hit in hits))
    left = _TURNS
    for turn in (turns[EpisodeId(hit.id)] for hit in hits if EpisodeId(hit.id) in turns):
        is_own = turn.origin is Origin.USER or (turn.origin, turn.speaker) == (asking.origin, asking.name)
        is_spoken = is_own and turn.kind is EpisodeKind.TURN and turn.text != WITHHELD
        if not is_spoken or turn.at > until:
            continue
        for piece in sentences(turn.text):
            shared = _shared(frozenset(index_terms(piece.text)), terms)
            is_told = phrase.search(fold(piece.text)) or (len(shared) > 1 and len(shared) >= _SHARED * len(terms))
            if is_told and not (_is_own(thing) and _is_of_another(fold(piece.text), fold(thing))):
                left -= 1
                yield turn, piece
                break
        if not left:
            return


def names_the_thing(text: str, subject: str) -> bool:
    """Whether a text holds every word of the subject."""
    terms = _terms_of(_thing(subject))
    return bool(terms) and _has_all(frozenset(index_terms(text)), terms)


def _nearest(deps: Dependencies, thing: str, namespace: Namespace, least: float) -> list[tuple[float, Record]]:
    """The memories in use that are this near in meaning, and how near, the nearest first; none without a model."""
    try:
        embedder = semantic_embedder(deps)
        if embedder is None:
            return []
        embed_known(deps, time.monotonic() + CATCH_UP_S, records_only=True)
        vector = embedder.embed([f"What is {thing}?" if _OWNED.match(thing) else thing])[0]
    except EmbedderError:
        return []  # the wish is still matched by its words
    where = SearchFilter(read_scope=ReadScope(all_projects=True, namespace=namespace), source=Source.RECORD)
    with deps.store.read() as view:
        hits = [hit for hit in view.nearest(vector, embedder.identity, where, _MOST) if hit.score >= least]
        records = view.load_records([hit.id for hit in hits], where)
    found = ((hit.score, records.get(hit.id)) for hit in hits)
    return [(score, record) for score, record in found if record is not None and record.status in IN_USE]


def in_use(view: ReadView, ids: Sequence[RecordId]) -> tuple[Record, ...]:
    """Those of the memories that are still in use."""
    found = (view.record(one) for one in ids)
    return tuple(record for record in found if record is not None and record.status in IN_USE)


def _thing(subject: str) -> str:
    """What the subject is about, in the plain form of it: "the thing about my knee", "the name of our cat"."""
    said = fold(subject).strip()
    said = _HAD.sub("my ", about_one(said) or said)
    found = _PART_OF.fullmatch(said)
    return f"{found['whole']}'s {found['part']}" if found else said


def _guides(record: Record) -> bool:
    is_order = record.layer is Layer.INTENT and record.kind in (Kind.CONSTRAINT, Kind.DECISION)
    return is_order or record.kind in (Kind.RULE, Kind.CORRECTION)


def _is_rule(record: Record, subject: str) -> bool:
    """Whether somebody calls the memory a rule, or a preference where the subject does."""
    prefers = record.kind is Kind.PREFERENCE
    return _guides(record) or (prefers and ("prefer" in fold(subject) or directs_assistant(record.text, record.kind)))


def _may_be_meant(record: Record, subject: str) -> bool:
    """Whether the memory is of whom the subject speaks, and no guidance where that is a property of the speaker."""
    said = fold(subject)
    if not _PROPERTY.match(said):
        return True
    return not (_guides(record) or (_is_own(said) and _is_of_another(fold(record.text), said)))


def _is_own(subject: str) -> bool:
    """Whether the subject is a property of the speaker."""
    said = fold(subject)
    return _PROPERTY.match(said) is not None and _OWN.search(said) is not None


def _is_of_another(text: str, subject: str) -> bool:
    """Whether the words speak of somebody else who belongs to the speaker ("my son"), and the subject does not."""
    if _SOMEBODY.search(subject):
        return False
    thing = _MY.sub("", subject)
    rest = text.replace(f"{thing}'s", thing)
    return any(words.search(rest) and not words.search(subject) for words in (_OF_OTHERS, _KIN))


def _tells(record: Record, subject: str, title: str = "") -> bool:
    # in a script without spaces, a word of one sign is no index term, but what stop words leave
    said = f"{record.text} {title}"
    return _has_all(frozenset((*index_terms(said), *query_terms(said))), _terms_of(subject))


def _terms_of(subject: str) -> frozenset[str]:
    """What a subject tells; nothing where that is "me" or "it": everything would match, or nothing."""
    terms = frozenset(query_terms(_ASKING.sub("", fold(subject))))
    return terms if any(len(term) > 2 or not term.isascii() for term in terms) else frozenset()


def _sharing(view: ReadView, subject: str, namespace: Namespace) -> list[Record]:
    """The memories in use with a word of the subject; of the speaker alone, where it is what they do or have."""
    terms = _terms_of(subject)
    where = SearchFilter(read_scope=ReadScope(all_projects=True, namespace=namespace), source=Source.RECORD)
    hits = view.lexical(sorted(terms), where, _MOST) if terms else ()
    found = [record for hit in hits if (record := view.record(RecordId(hit.id))) and record.status in IN_USE]
    is_own = _I.search(fold(subject)) is not None
    return [record for record in found if not is_own or _OWN.search(fold(record.text))]


def _telling_of_another(view: ReadView, thing: str, namespace: Namespace) -> list[Record]:
    told = other_owner_pattern(thing)
    return [one for one in _sharing(view, thing, namespace) if told and told.search(fold(one.text))]


def _names_in(text: str) -> frozenset[str]:
    """The words with a capital or a digit, as a question has them; no dates: ingest writes them where people do not."""
    said = _DATE.sub(" ", text)
    marked = [word for word in said.split() if word[:1].isupper() or any(map(str.isdigit, word))]
    return frozenset(query_terms(fold(" ".join(marked))))


def _has_all(said: frozenset[str], terms: frozenset[str]) -> bool:
    """Whether each term is among the words, or a word that begins as it does ("diagnosis", "diagnosed")."""
    return len(_shared(said, terms)) == len(terms)


def _shared(said: frozenset[str], terms: Collection[str]) -> frozenset[str]:
    """Those of the terms that are among the words in some form."""
    forms = {word[:_FORM] for word in said}
    return frozenset(one for one in terms if one in said or (len(one) >= _FORM and one[:_FORM] in forms))


def _capitals_of(text: str) -> frozenset[str]:
    return frozenset(query_terms(fold(" ".join(_CAPITAL.findall(text)))))
