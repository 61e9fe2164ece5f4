"""Codes and answers that a sentence or a list names: PINs, codes of doors and cards, codes for one use, backup codes.

Takes: a text, its lower case of the same length, and the parts that hold a name. Gives: spans. Never: takes a number
that counts or measures something for a code.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from dopejar.governance.redaction.cue_words import matches
from dopejar.governance.redaction.placeholders import is_placeholder
from dopejar.governance.redaction.spoken_codes import MEASURED, names_other_code
from dopejar.governance.redaction.token_patterns import SecretSpan

_OF: Final = (
    r"(?:[ \t](?:for|of|on|to|at|für|vom|zum|mein\w*|der|des|para|do|da|del?|la|el|pour|du|per|voor|от|к|для|на"
    r"|pro|k|na|z)"
    r"(?:[ \t][\w./'-]{1,30}){1,4}?)?"
)
_IS: Final = r"(?:,[ \t][^,\n]{1,40},)?(?:['’]s|[ \t](?:is|was|ist|war|lautet|es|era|é|est|è|je|это))[ \t]+"
_STILL: Final = r"(?:(?:still|now|currently|noch|todavía|ainda|toujours|ancora|nog)[ \t]+)?"
_ANSWER: Final = re.compile(
    r"(?:security (?:question|answer)|sicherheitsfrage|pregunta (?:de seguridad|secreta)"
    r"|pergunta (?:de segurança|secreta)"
    r"|question (?:secrète|de sécurité)|контрольн\w+ вопрос\w*|секретн\w+ вопрос\w*|bezpečnostní otázk\w|安全问题"
    r"|mother'?s maiden name|secret question|security q\b|geheime frage"
    r"|(?:respuesta|resposta) (?:secreta|de seguri?[dç]an?[dç]a?)"
    r"|réponse secrète)"
    r"[^\n]{0,120}?(?:\b(?:answer|antwort|respuesta|resposta|réponse|ответ|odpověď)(?:[ \t][^\s.:]{1,20}){0,6}?"
    rf"(?:{_IS}|[ \t]?[:=—-]>?[ \t]+)|答案(?:是|：|:)[ \t]?)([^\n.,;!?]{{2,60}})"
)
_ANSWER_SAID: Final = re.compile(
    r"(?:(?:security|secret)[ _-]answer|answer to (?:my|the|that) (?:secret|security) question|(?:respuesta|resposta)"
    r" (?:secreta|de seguran[cç]a|de seguridad)|réponse secrète|geheime antwort|maiden name|mädchenname)"
    rf"(?:[ \t][^\s:=]{{1,20}}){{0,4}}?(?:{_IS}|[ \t]?[:=→][ \t]*)"
    r"(?!\w+(?:ed|ing) )([^\n,;!?:]{2,40}?)(?=[.,;!?]?(?:\s*$|\n|[.,;!?]\s))"
)
# words, and endings of words, that describe a password instead of stating it
_STATES: Final = re.compile(
    "(?:above|absent|also|always|another|back|bcrypt|below|blank|bonne|broken|błędne|case|chosen|complex|correct"
    "|corta|curta|debole|different|débil|easy|elsewhere|empty|enough|falsch|fausse|faux|fine|forgotten|fort|forte"
    "|fout|fraca|fuerte|geheim|giusta|given|gleich|global|gone|good|great|hard|hash|here|hidden|hier|identical"
    "|igual|important|incorrect|insecure|invalid|juist|just|juste|known|korrekt|kort|kurz|lang|larga|leeg|leer"
    "|local|long|longer|lost|mala|mandatory|mauvais|mine|never|nieuw|nouveau|nova|nueva|null|number|nuova|offline"
    "|often|okay|online|ours|password|passwort|plain|plaintext|present|private|public|puste|random|ready|requis"
    "|right|safe|same|schwach|scrypt|secret|secure|segura|short|shorter|shown|sicher|silne|simple|somewhere|stark"
    "|static|sterk|stolen|strong|słabe|taken|temporary|text|that|theirs|there|this|token|unclear|unique|unknown|unset"
    "|unsafe|unsicher|valid|vecchia|verplicht|vide|vieja|weak|what|written|wrong|yours|zwak)"
)
_DESCRIBES: Final = re.compile(
    r".*(?:ed|ing|able|ible|ive|ous|ful|less|[bcefinostu]ly(?<!fly)"  # English
    r"|ert|lich|ig|bar|isch|los|laufen|gessen|ge\w+(?:en|t)"  # German
    r"|[ai]d[ao]|[ei]ct[ao]|[ei]t[ao]|ári[ao]|óri[ao]|ori[ao]|iv[ao]|ble|vel|liat[ao]|(?:ion|im|ri|tu|du)al"  # Romance
    r"|ée|oire|open"  # French, Dutch
    r"|[ыио]й|ен|ён|ан|н[ао]|[éýíě]|[áv]v?n[aeo])$"  # Slavic
)
_NUMBER: Final = re.compile(
    r"\d{4,8}(?![\w%/]|[.,:]\d|-\d)(?![ \t]*(?:digits?|characters?|chars|ziffern|times|bytes|rows|lines|users|attempts"
    r"|mm|cm|ms|seconds|minutes|hours)\b)"
)
_GUARDED: Final = (  # what codes open or prove, in eight languages
    r"(?:alarm|door|gate|unlock|entry|entrance|access|security|safe|vault|lock(?:er)?|garage|building|lobby"
    r"|verification"
    r"|confirmation|one-time|login|log-in|backup|sms|tür|haus|tor|zugangs|sicherheits|bestätigungs"
    r"|verifizierungs|freischalt"
    r"|entsperr|einmal|aktivierungs)"
)
_CODE_OF: Final = (
    r"(?:pin|acc[eè]s+o?|acesso|verifica\w+|v[ée]rification|confirma\w+|seguran[cç]a|seguridad|sécurité"
    r"|sicurezza|secret"
    r"|puerta|porta|portão|portail|porte|entrada|entrée|immeuble|alarm\w*|activa\w+|подтверждения|доступа|безопасности"
    r"|(?:от|для)[ ]\w+)"
)
_CODE_BEFORE: Final = re.compile(
    r"(?:验证码|门禁码?|密码|密碼|(?<![\w-])(?:sim[ -]?)?pin(?:[ -]?(?:code|number|nummer))?|code pin"
    r"|(?<![\w-])(?:puk|otp|geheimzahl|digicode|пин(?:-?код)?)"
    rf"|{_GUARDED}[ -]?code|(?:código|codigo|codice|code|код) (?:(?:de|da|do|di|del|du|d['’])[ ]?)?(?:(?:la|el"
    rf"|l['’])[ ]?)?{_CODE_OF}"
    r"|(?:ověřovací|bezpečnostní|vstupní|přístupový) kód|kód (?:k|od|do|na) \w+"
    rf"|code (?:for|to|of|für|zum|zur) (?:\w+ ){{0,2}}{_GUARDED}\w*|disarms?(?:[ \t]\w+){{0,2}}[ \t]with(?:[ \t]code)?)"
    rf"(?:{_OF}(?:[ \t](?:que|that|i|ich|j'ai|got|recebi|recibí)){{0,3}}"
    rf"(?:{_IS}{_STILL}(?:le[ \t])?|[ \t]?[:=：][ \t]?)|[ \t]+(?<!pin[ \t])|是|为)$"
)
_CODE_BEHIND: Final = re.compile(  # `481920 is your code`
    r"[ \t](?:is|ist|es|est|é|è|je|это|—|-)[ \t](?:(?!of|in|for|from|by|with|on)\w+[ \t]){1,3}?"
    r"(?:\w*code|código|codice|kód|код"
    r"|pin|otp)\b|是(?:您|你)的.{0,12}码"
)
_COMBINATION: Final = re.compile(
    r"(?:combination|combinación|combinação|combinaison|combinazione|kombination"
    r"|kombinace)(?:[ \t:]+[\w'-]{1,20}){0,5}?[ \t:]+"
    r"(\d{1,2}(?:[ -]{1,3}\d{1,2}){2,3})(?![\w%-])"
)
_MOST_BEFORE: Final = 80  # characters before a number in which its name is looked for
_CARD_CODE: Final = re.compile(
    r"(?:c(?:vv|vc|sc)2?(?: code| number)?|cid|kpn|(?:karten)?prüf(?:ziffer|nummer|zahl)"
    r"|cryptogramme(?: visuel)?|安全码|安全碼"
    r"|(?:security|card) code|código de seguran[cç]a|código de seguridad|codice di sicurezza|bezpečnostní kód"
    r"|код безопасности)"
    r"(?:[ \t](?:is|ist|es|est|é|è|je|это)|是)?[\"']?[ \t]?[:=：]?[ \t]?[\"']?(\d{3,4})(?![\w.%/-])"
)
_BETWEEN: Final = (" ", "\t", ":", "=", "：", "是", "为")
CODE_LITERALS: Final = (  # every name of a code holds one
    "pin", "code", "puk", "otp", "geheimzahl", "código", "codigo", "codice", "disarm", "пин", "код", "kód",
    "码", "密", "门禁",
)  # fmt: skip
_PIN_CODE: Final = re.compile("pin[ -]?code")
_POSTAL_DIGITS: Final = 6  # of the postal code that an Indian address calls its PIN code
_NEAR: Final = 48  # characters of the same line in which a name stands
_APART: Final = re.compile(r"[.?;][ \t]|\n")
_NEAR_DIGITS: Final = re.compile(
    r"(?<![A-Za-z0-9_.,:/$€£#%@-])(?:\d{4,8}|\d{3}[ -]\d{3}|\d{2}(?:-\d{2}){2})(?![a-z0-9_%/°€а-я-]|[.,:]\d)"
    r"(?![ ](?:is|was|in|digits?|char|bytes|rows|lines|users|attempts|mm|cm|km|ms|s|kg|eur|usd|euros?"
    r"|people|times|items|files"
    r"|seconds|minutes|hours|days|tests|errors|stellen|zeichen)\b)"
)
_OPENS: Final = (
    r"pin\d?|pin-?code|puk\d?|(?:sms-|push)?tan|otp|2fa|keypad|key ?safe|lock ?box|digicode|voicemail"
    r"|(?:bike|suitcase|locker|pad) ?lock|(?:door|safe|gate|alarm|lock|entry|access|login|security|verification|sms"
    r"|guard|confirmation|front door|side door|garage)[ -]?codes?|combo|(?:building|gate|garage) entry"
    r"|(?:tresor|zahlen|tür|zugangs|sicherheits|bestätigungs|haus|alarm)code|пин(?:-?код)?|код (?:домофона|от|для)"
    r"|code (?:de|du|d'|pour) (?:la |l')?(?:carte|porte|portail|immeuble|coffre|alarme|sim)\w*"
    r"|c[óo]digo (?:de|da|do|del) (?:la )?(?:portal|puerta|porta|cofre|alarma?e?|caja|garaje|garagem|sim)"
    r"|unlocks with|(?:screen|phone|tablet) ?(?:un)?lock(?: to)?|disarm\w*|(?:front|back|side|cellar"
    r"|garage) ?door|key ?box"
    r"|pad ?lock|tresor|(?:key ?box|suitcase|locker|garage) code|код двери|kód (?:ke|od|k) \w+"
    r"|code de mon téléphone"
)
_CODE_NEAR: Final = re.compile(
    rf"(?<![\w-])(?:{_OPENS})(?: (?:\w|['’])+){{0,3}}?"
    r"(?:,? (?:it['’]?s|is|:|reads|ist|est|es|é|je|now|right now|to)|:| =| —| -| –|,)?[ ]?$"
    r"|(?<![\w-])(?:(?:code|код|kód|código) (?:\w+ ){0,2}?(?:is|est|es|é|je):? |(?:enter|use) (?:the )?code )$"
    r"|(?:解锁码|门锁|验证码|pin码|密码|暗証番号)(?:是|为|は|：|:)? ?$"
)
_OTHER_CODE_NEAR: Final = re.compile(
    r"(?:error|exit|status|zip|postal|post|area|stock|order|part|voucher|hs|country|return|response|http|reason|dial\w*|product|tax|sort|branch"
    r"|currency|language|colou?r|bar|qr|source|discount|promo|coupon|event|airport|course|fehler|status|länder|key"
    r"|the|this|our|erreur|retour|ошибки|возврата|chyby|error|erro|estado)[ -]?(?:code|код|kód|código)\b"
    r"|(?:code|код|kód|código|code) (?:d['e]|de|do|del|da|ошибки|возврата|chyby)? ?"
    r"(?:err\w+|retour|estado|http|stav\w*|posta\w+)"
    r"|\bpin (?:\d|the|to|version|header|gpio)|gpio|pinterest|version| in $|почтов"
)
_CODE_AFTER: Final = re.compile(
    r" (?:is|as|ist|—|–|-|to) (?:the |my |your |unser |der |die )?(?:\w+ )?(?:tan|pin|verify|confirm)\b| disarms\b"
    r"|\. (?:don['’]t|never|do not) share"
)
_ONE_TIME: Final = re.compile(
    r"(?<![\w.,:/#-])(?:g-)?(\d{3}[ -]?\d{3}|\d{4}|\d{8})(?=[ ](?:is|—|–|-)[ ](?:your|my)[ ](?:\w+[ -]){0,4}?"
    r"(?:code|passcode|pin|otp)\b|[ ]to[ ](?:confirm|verify|log[ ]in|sign[ ]in|finish|continue)\b)"
    r"|\b(?:authenticator|2fa|otp|sms|whatsapp|google|telegram|signal|steam|bank)(?:[ ]\w+){0,4}?[ :]{1,2}(?:g-)?"
    r"(\d{3}[ -]?\d{3})(?![\w%/.-]*\w)|\bcode[ :]{1,2}(\d{3}-\d{3})(?![\w%/.-]*\w)"
)
_KEY_NAME: Final = re.compile(
    r"(?:api|access|auth|secret|private|signing|account|master|setup|storage|client|encryption|shared"
    r"|service|license)"
    r"[ _-]?(?:key|token|code)|secret|token|passw|credential|(?:\b|_)keys?\b|[a-z](?=key[\"']?[ \t]?[:=])"
    r"|apikey|totp|otpauth|\b2fa\b|\bssws\b|bearer"
    r"|\bwallet\b|signer|keypair|\bdsn\b|licen[sc]e\b|rotated|revoke|leaked|the new one|don'?t share"
    r"|here'?s (?:the|my|our) one"
    r"|session cookie|li_at|\bpat\b|appid|api_hash|signing|jeton|setkey|fernet|\bjwt\b|private|пароль|ключ"
    r"|секрет|токен|\bclaves?\b|contrase|\bchaves?\b|senha|schlüssel|kennwort|geheim|\bclés?\b"
    r"|secrète?|mot de passe|klíč|heslo|tajn|密钥|密码|令牌|凭证"
)
_CODES: Final = re.compile(
    r"(?:(?:backup|recovery|scratch|emergency|rescue|wiederherstellungs|резервн\w+|záložní|záchran\w+)"
    r"[ _-]?(?:2fa )?(?:codes?|код\w*|kód\w*)|códigos? de (?:recupera[cç]\w+|respaldo|backup|seguridad)"
    r"|codes? de (?:secours|récupération|sauvegarde)|备用码|恢复代码)"
)
_BACKUP_CODE: Final = re.compile(r"(?<![\w-])(?=[\w-]*\d)[A-Za-z0-9]{4,12}(?:[- ]?[A-Za-z0-9]{3,8}){0,3}(?![\w-])")
_MOST_CODES_BEHIND: Final = 600
_NUMBERING: Final = re.compile(r"(?<!\d)\d{1,2}[.):]\s")
_KEY_IN_GROUPS: Final = re.compile(
    r"(?<![\w-])[a-z2-7]{4}(?:([ -])[a-z2-7]{4})(?:\1[a-z2-7]{4}){2,14}(?:\1[a-z2-7]{1,3})?(?![\w-])"
)


def stated_codes(lowered: str, near: Sequence[tuple[int, int]]) -> Iterator[SecretSpan]:
    """PINs, codes of doors and phones, and the check codes of cards, as sentences and forms name them."""
    for match in matches(_NUMBER, lowered, near):
        before = lowered[max(0, match.start() - _MOST_BEFORE) : match.start()]
        if _CODE_BEHIND.match(lowered, match.end()) and not lowered[match.start() - 1 : match.start()].isalnum():
            yield (*match.span(), "pin")
        if before[-1:] not in _BETWEEN or not any(literal in before for literal in CODE_LITERALS):
            continue
        name = _CODE_BEFORE.search(before)
        if name is None or (name.group().startswith("code ") and names_other_code(before[: name.end()])):
            continue
        if not (_PIN_CODE.match(name.group()) and len(match.group()) == _POSTAL_DIGITS):
            yield (*match.span(), "pin")
    if "ombina" in lowered:
        yield from ((*match.span(1), "pin") for match in matches(_COMBINATION, lowered, near))
    for match in matches(_CARD_CODE, lowered, near):
        if match.start() == 0 or not lowered[match.start() - 1].isalnum():
            yield (*match.span(1), "card-code")


def stated_answers(lowered: str) -> Iterator[SecretSpan]:
    """The answer to a security question, to the end of its clause."""
    yield from ((*match.span(1), "security-answer") for match in _ANSWER.finditer(lowered))
    for match in _ANSWER_SAID.finditer(lowered):
        if not (is_placeholder(match.group(1)) or _describes(match.group(1))):
            yield (*match.span(1), "security-answer")


def nearby_codes(lowered: str, near: Sequence[tuple[int, int]]) -> Iterator[SecretSpan]:
    """Digits that the clause calls the code of a door, a card, a phone or a payment."""
    for match in matches(_NEAR_DIGITS, lowered, near):
        before = _APART.split(lowered[max(0, match.start() - _NEAR) : match.start()])[-1]
        is_near = _CODE_NEAR.search(before) and not (_OTHER_CODE_NEAR.search(before) or MEASURED.search(before))
        if is_near or _CODE_AFTER.match(lowered, match.end()):
            yield (*match.span(), "pin")


def one_time_codes(lowered: str, near: Sequence[tuple[int, int]]) -> Iterator[SecretSpan]:
    """Codes for one use, as the message that brings them and the person who types them say."""
    for match in matches(_ONE_TIME, lowered, near):
        yield (*match.span(match.lastindex or 0), "pin")


def backup_code_spans(text: str, lowered: str) -> Iterator[SecretSpan]:
    """The codes in a row behind the name of backup codes."""
    for name in _CODES.finditer(lowered):
        at = name.end()
        for code in _BACKUP_CODE.finditer(text, name.end(), name.end() + _MOST_CODES_BEHIND):
            between = _NUMBERING.sub("", text[at : code.start()])
            if len(between) > (40 if at == name.end() else 8) or re.search(r"[.?!]\s", between):
                break
            if len(code.group()) >= 6:
                yield (*code.span(), "backup-code")
            at = code.end()


def grouped_key_spans(lowered: str, near: Sequence[tuple[int, int]]) -> Iterator[SecretSpan]:
    """Keys of authenticators in groups of four: letters and digits of base 32 behind a name for them."""
    for match in matches(_KEY_IN_GROUPS, lowered, near):
        if _KEY_NAME.search(lowered, max(0, match.start() - _NEAR), match.start()) and re.search(
            "[2-7]", match.group()
        ):
            yield (*match.span(), "totp")


def _describes(word: str) -> bool:
    return (_STATES.fullmatch(word) or _DESCRIBES.match(word)) is not None
