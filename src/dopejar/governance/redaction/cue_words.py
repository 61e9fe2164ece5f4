"""The words of a text that may name a secret, and where they stand.

Takes: a text in lower case. Gives: which kinds of name it holds, and the parts of the text around them. Never: passes
over a name that a pattern looks for; remembers a word with a digit in it, as most secrets have.

Most words of most texts name nothing. One look at each word, remembered for words that return, spares trying any
pattern on them; the patterns are tried around the names alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache, reduce
from importlib.resources import files
from operator import or_
from typing import Final

from dopejar.governance.redaction.secret_words import LOCKED, OPENING, WORDED, groups_of


class CueFlag:
    """What a word may be about, one bit each. Plain numbers: an `IntFlag` takes a fifth of the time of a redaction."""

    NAMED: Final = 1  # names of secrets, and of what they open: what the fitted reader looks for
    PASSWORD: Final = 2  # names of secrets that may be plain words
    CODE: Final = 4
    BACKUP: Final = 8
    SEED: Final = 16
    ANSWER: Final = 32
    KEY: Final = 64
    HEADER: Final = 128
    COMMAND: Final = 256
    PRIVATE: Final = 512  # private parts and private keys
    IDENTITY: Final = 1024
    LOCK: Final = 2048  # what a code opens
    USER: Final = 0x8000  # accounts, and programs that people log in with


# what a word must hold to be a cue; words are letters alone, in lower case
_CUES: Final[dict[int, str]] = {
    CueFlag.NAMED: r"(?:pass(?:word|wd|phrase|code|wort|e)?|pwd?|secret|contrase[ñn]a|senha|kennwort|пароль|heslo|mdp"
    r"|clave|psk|wachtwoord|hasło|token|key|credentials?|creds|salt|signature|auth|sessionid|sessid|sid|login)(?![a-z])|密",
    CueFlag.PASSWORD: r"passw|passphrase|pwd|kennwort|heslo|senha|contrase|парол|密|secret",
    CueFlag.CODE: r"(?<![a-z])(?:sim)?pin(?![a-z])|pin(?:code|num)|codes?(?![a-z])|puk|otp(?![a-z])|geheimzahl"
    r"|código|codigo|codice|c(?:vv|vc|sc)(?![a-z])|(?<![a-z])(?:cid|kpn|safe|door|authenticator|sms|whatsapp)(?![a-z])|tresor|padlock|двери|暗証|prüf|cryptogramme|combina|kombin|disarm|kód|код|пин|码|碼|门禁"
    r"|(?<![a-z])(?:verify|tan|fa|combo|voicemail|keypad|keysafe|lock|lockbox|unlocks|entry)(?![a-z])|passcode|digicode",
    CueFlag.BACKUP: r"backup|recover|scratch|emergency|rescue|wiederherst|резервн|záložn|záchran|recupera|respaldo"
    r"|seguridad|secours|récupér|sauvegarde|备用|恢复",
    CueFlag.SEED: "seed|mnemonic|mnémon|phrase|frase|fráz|фраз|助记词|wiederherstellungsw",
    CueFlag.ANSWER: "(?<![a-z])(?:security|secret|secreta|geheime|secrète|sécurité|maiden)(?![a-z])"
    "|sicherheitsfrage|pregunta|pergunta|вопрос"
    "|otázk|安全问题",
    CueFlag.KEY: r"(?:key|secret)s?(?![a-z])|(?<![a-z])fa(?![a-z])|totp|authenticator|schlüssel|clave|chave|clé|ключ"
    r"|wallet|solana",
    CueFlag.HEADER: "bearer|authorization",
    CueFlag.COMMAND: "curl|wget|http|sshpass|redis|login|mysql|sqlplus|expdp|impdp|setuser|radtest|rootpw|assword|setx"
    r"|(?<![a-z])(?:conn|connect|connection|getconnection|tcp|unix|pdo|rman)(?![a-z])|_connect",
    CueFlag.PRIVATE: "private|putty",
    CueFlag.IDENTITY: r"(?<![a-z])(?:iban|ssn|social|nino|national|cpf|dni|nie|nif|pesel|bsn|aadhaar|insee|nir|cf|fisc"
    r"|idnr|sin|tfn|tax|rut|snils|nhs|cpr|hetu|curp|pan|cnp|bank|routing|driver|driving)(?![a-z])|burgerserv|rodn"
    r"|(?<![a-z])(?:resident|rrn|id|zehut|thai|kimlik|tckn|cuit|cuil|isikukood|asmens|personas|egn|amka|pps|ppsn|oib|jmbg|emso"
    r"|kennitala|nik|ktp|mykad|nric|fin|svnr|cnic|rfc|itin|account|sort|identity|identité|identità|personal)(?![a-z])|emšo"
    r"|주민등록|егн|αμκα|рнокпп|іпн|sozialversicherungs|reisepass|passeport|pasaporte|passaport|cestovní|护照|身份证|personalausweis"
    r"|občansk|führerschein|permis|kontonummer|загран"
    r"|sécu|securite|fiscale|steuer|инн|снилс|паспорт|personnummer|fødsel|henkilö|contribuinte|rijksreg|passport",
    CueFlag.LOCK: f"(?<![a-z])(?:{LOCKED})s?(?![a-z])",
    CueFlag.USER: r"(?<![a-z])(?:accounts?|users?|admin|ssh|demo|into|sftp|staging|konto|cuenta|compte|conta)(?![a-z])",
}
_PATTERNS: Final = {cue: re.compile(pattern) for cue, pattern in _CUES.items()}
# words that are cues before these words alone
_FOLLOWED: Final = {
    **dict.fromkeys(("log", "logged", "sign", "signed"), (" in", "-in")),
    **dict.fromkeys(("auth",), (" ", "\t")),
    "identified": (" by", "\tby", " with", "\twith"),
}
_NOT_LETTERS: Final = str.maketrans({sign: " " for sign in map(chr, range(128)) if not sign.isalpha()})
_WORDS: Final = 32768  # remembered
_LONGEST: Final = 40  # characters of a word that is remembered
_LEAST_DATA: Final = 2000
_DATA: Final = re.compile(
    r"(?<!\S)\S{2000,}"
)  # encoded data, or a file without spaces: its words are not looked at one by one
_SEEDLIKE: Final = 0x4000  # the bit of a word of the list of seed phrases
_QUIET: Final = 0x2000  # the code of a word that is no cue
_ANY_CUE: Final = re.compile(f"[^{chr(_QUIET)}{chr(_QUIET | _SEEDLIKE)}]")
_SEED_PHRASE: Final = re.compile(
    f"[{chr(_SEEDLIKE)}-{chr(2 * _SEEDLIKE - 1)}{chr(_SEEDLIKE | CueFlag.USER)}-{chr(0xFFFF)}]{{12}}"
)
_REST: Final = re.compile(r"\S{0,256}")
_SEED_WORDS: Final = re.compile(r"[a-z]{3,8}(?:[\s\"',;.:|\[\]()\d-]{1,8}[a-z]{3,8}){11}")


@lru_cache(maxsize=1)
def seed_words() -> dict[str, int]:
    """The words of the list of seed phrases, with their numbers."""
    text = files(__package__).joinpath("data/bip39_english.txt").read_text(encoding="utf-8")
    return {word: number for number, word in enumerate(line for line in text.split("\n") if line[:1] not in {"", "#"})}


class _Words(dict[str, str]):
    """Words with their codes: a character whose bits are the cues."""

    def __missing__(self, word: str) -> str:
        cues = sum(cue for cue, pattern in _PATTERNS.items() if pattern.search(word))
        groups = groups_of(word)
        cues |= (not OPENING.isdisjoint(groups)) * CueFlag.NAMED | (not WORDED.isdisjoint(groups)) * CueFlag.PASSWORD
        cues |= ("lock" in groups) * CueFlag.LOCK
        is_seedlike = word in seed_words()
        code = chr(cues | _QUIET | is_seedlike * _SEEDLIKE)
        if len(word) <= _LONGEST and not any(map(str.isnumeric, word)):
            if len(self) >= _WORDS:
                self.clear()
            self[word] = code
        return code


_CODES: Final = _Words()


def _word_end(text: str, position: int) -> int:
    rest = _REST.match(text, position)
    return rest.end() if rest else len(text)


class CueWords:
    """The cues of a text."""

    def __init__(self, lowered: str, longest: int) -> None:
        """`longest` is the length of the text's longest word."""
        self._lowered = lowered
        data = _DATA.findall(lowered) if longest >= _LEAST_DATA else []
        words = (_DATA.sub(" ", lowered) if data else lowered).translate(_NOT_LETTERS).split()
        codes = "".join(map(_CODES.__getitem__, words))
        self._found = {words[match.start()]: ord(match.group()) for match in _ANY_CUE.finditer(codes)}
        self.cues = reduce(or_, self._found.values(), 0)
        self.has_seed_words = _SEED_PHRASE.search(codes) is not None
        self._has_data = bool(data)
        for run in data:
            self.cues |= sum(cue for cue, pattern in _PATTERNS.items() if not self.cues & cue and pattern.search(run))
            self.has_seed_words = self.has_seed_words or _SEED_WORDS.search(run) is not None

    def windows(self, cue: int, before: int, behind: int) -> list[tuple[int, int]]:
        """The parts of the text around the words of a kind, from first to last; none overlaps another."""
        return windows(self._lowered, self._places(cue), before, behind) if self.cues & cue else []

    def _places(self, cue: int) -> Iterator[tuple[int, int]]:
        if self._has_data:
            patterns = [pattern for one, pattern in _PATTERNS.items() if one & cue]
            yield from sorted(match.span() for pattern in patterns for match in pattern.finditer(self._lowered))
            return
        places = []
        for word in (word for word, code in self._found.items() if code & cue):
            followers = _FOLLOWED.get(word, "") if cue == CueFlag.PASSWORD else ""
            start = self._lowered.find(word)
            while start >= 0:
                end = start + len(word)
                if self._lowered.startswith(followers, end):
                    places.append((start, end))
                start = self._lowered.find(word, end)
        yield from sorted(places)


def windows(text: str, spans: Iterable[tuple[int, int]], before: int, behind: int) -> list[tuple[int, int]]:
    """The parts of a text around spans, which are sorted; none overlaps another, or ends within a word."""
    parts: list[tuple[int, int]] = []
    for start, end in spans:
        first, last = max(0, start - before), _word_end(text, end + behind)
        if parts and first <= parts[-1][1]:
            parts[-1] = (parts[-1][0], max(last, parts[-1][1]))
        else:
            parts.append((first, last))
    return parts


def matches(pattern: re.Pattern[str], text: str, near: Iterable[tuple[int, int]]) -> Iterator[re.Match[str]]:
    """The matches of a pattern within parts of a text."""
    for start, end in near:
        yield from pattern.finditer(text, start, end)
