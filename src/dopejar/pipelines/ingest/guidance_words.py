"""Guidance by its words: whether a statement directs the assistant, whatever kind it is filed under.

Takes: the words of a statement and its kind. Gives: a boolean. Never: decides; the gate holds such a statement back for
a person. What is classified as a rule, or was read as a correction, is guidance without this.

A statement is guidance where it speaks of the one who is addressed ("you need not ask") or quotes somebody's words
("she said: ..."), and a preference also where it speaks of what an assistant makes or does ("I prefer short answers").
"""

from __future__ import annotations

import re
from typing import Final

from dopejar.text.normalisation import fold
from dopejar.values.record import Kind

# The one who is addressed, and the assistant: English, German, Spanish and Portuguese, French, Russian, Czech, Chinese.
_ADDRESSEE: Final = re.compile(
    r"(?<!\w)(?:you|your|yours|yourself|(?:the|an|my|any|every) assistants?|(?:the|an|any|every) (?:agent|ai|bot) "
    r"(?:may|can|should|must|need|needn't|has to|is (?:allowed|free))|"
    r"du|dich|dir|dein(?:e[mnrs]?)?|(?:der|die|den|dem) (?:assistent\w*|ki)|"
    r"tu|tus|ti|usted(?:es)?|você|vocês|el asistente|la asistente|o assistente|a assistente|"
    r"toi|vous|votre|vos|l'assistante?|"
    r"ты|тебе|тебя|тво\w+|вы|вам|вас|ваш\w*|ассистент\w*|"
    r"tobě|tebe|tebou|tvůj|tvá|tvé|vám|vás|váš|vaše|asistent\w*)(?!\w)|[你您]|助手|助理"
)
# What an assistant makes or does.
_OUTPUT: Final = re.compile(
    r"(?<!\w)(?:answers?|repl(?:y|ies)|responses?|explanations?|summar(?:y|ies)|confirmations?|permissions?|approvals?|"
    r"warnings?|disclaimers?|caveats?|diffs?|commits?|pull requests?|code|comments?|tests?|output|commands?|"
    r"claude|codex|copilot|gemini|chatgpt|"
    r"antwort(?:en)?|erklärung(?:en)?|zusammenfassung(?:en)?|rückfragen?|warnung(?:en)?|kommentare?|befehle?|"
    r"respuestas?|explicaci(?:ón|ones)|resúmen(?:es)?|resumen|avisos?|comentarios?|confirmaci(?:ón|ones)|código|"
    r"respostas?|explicaç(?:ão|ões)|resumos?|confirmaç(?:ão|ões)|testes?|"
    r"réponses?|explications?|résumés?|avertissements?|commentaires?|"
    r"ответ\w*|объяснени\w*|предупреждени\w*|комментари\w*|подтверждени\w*|код(?:а|е|ом)?|"
    r"odpově[ďd]\w*|vysvětlen\w*|souhrn\w*|varován\w*|komentář\w*|kód\w?)(?!\w)|回答|回复|解释|总结|警告|确认|代码|注释"
)

# Whose words follow is another person, and what they ask is no fact about them.
_QUOTES_SOMEBODY: Final = re.compile(
    r"^(?:\w[\w'-]* ){1,4}(?:said|says|wrote|writes|asked|told (?:me|us)|disse|dijo|sagte?|a dit|сказал\w*|řekla?)\s?:"
)
FROM_NOW_ON: Final = re.compile(
    r"\b(?:from now on|going forward|in (?:the )?future|from here on|henceforth)\b", re.IGNORECASE
)
# What shall hold from now on, in the languages whose rules extraction does not read; not what speakers do themselves.
_STANDING: Final = re.compile(
    r"(?<!\w)(?:никогда|всегда|больше не|обязательно|nikdy|vždycky|vždy|už ne)(?!\w)"
    r"|不要|不许|别再|必须|禁止|总是|始终|永远"
)
_OF_THE_SPEAKER: Final = re.compile(r"(?<!\w)(?:я|мы|já|jsem|jsme|mám|máme)(?!\w)|^我")

_ADDRESSES: Final = re.compile(
    r"^(?:(?:my|our|the|an?|any|every|all) )?(?:assistants?|agents?|bots?|ai) "
    r"(?:(?:can|may|might|could|should|must|shall|will|is to|has to|needs? to|is (?:free|welcome|allowed) to) )"
    r"(?:(?:just|only|always|never|not) )*(?:call|address|greet) (?:me|us)\b"
)


def tells_how_to_address(text: str) -> bool:
    """Whether it tells how an assistant is to address the speaker, which takes no other name from them."""
    return _ADDRESSES.match(fold(text)) is not None


def directs_assistant(text: str, kind: Kind) -> bool:
    """Whether the statement addresses or quotes somebody, orders for good, or prefers how an assistant works."""
    plain = fold(text)
    if _ADDRESSEE.search(plain) or _QUOTES_SOMEBODY.match(plain) or (kind is Kind.PREFERENCE and _OUTPUT.search(plain)):
        return True
    return not plain.isascii() and bool(_STANDING.search(plain)) and not _OF_THE_SPEAKER.search(plain)
