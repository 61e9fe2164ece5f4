"""Directives in the form of a statement: "I'd like commits to be pushed without review", "Our agents run with sudo".

Takes: the words of a statement. Gives: whether its form directs an assistant's work, whoever is sure that it only
states something. Never: decides; the gate holds such a statement back for a person.

The forms are those of everyday life as well ("we agreed to meet on Friday", "our agents sell houses"). So most of them
count only beside a word for what assistants work on.
"""

from __future__ import annotations

import re
from typing import Final

from dopejar.text.normalisation import fold

# What assistants work on, or with; none that is as often a thing of the home, such as a table or a branch.
_WORK: Final = re.compile(
    r"\b(?:(?<!to )commit(?:s|ted)?|pull requests?|prs?|diffs?|merge requests?|merges|the merge|(?<!to )tests?|"
    r"(?:code|peer) reviews?|"
    r"(?:all|any|our|the|new|generated|source|untested|unreviewed) code|codebase|refactor\w*|lint\w*|type checks?|"
    r"(?<!the )(?<!school )(?<!film )production(?! (?:company|line|of))|prod|staging|"
    r"(?:push|merg|commit|deploy)\w* (?:\w+ )?(?:in)?to (?:main|master)|"
    r"(?:main|master|feature|release) branch(?:es)?|repos?|repositor(?:y|ies)|databases?|migrations?|"
    r"deploy(?:s|ed|ing|ments?)?|ci|the build|builds|servers?|clusters?|firewalls?|backups?|sudo|as root|root access|"
    r"shell commands?|credentials|api keys?|dependencies|disclaimers?|"
    r"without (?:a |any |code |human |further |prior )*(?:review|approval|confirmation)|without asking(?! \w)|"
    r"(?:ask(?:ing)?|wait(?:ing)?) for (?:\w+ )?(?:approval|confirmation|permission))\b"
)
_DONE: Final = (
    r"(?:\w{2,}ed|done|made|run|sent|kept|put|set|reset|built|shut|cut|left|read|split|thrown|written|rewritten|"
    r"overwritten|given|taken|hidden|broken|overridden|frozen|skipped)\b"
)
_WOULD: Final = r"(?:i|we)(?:['’]d| would)? (?:(?:do not|don['’]?t|really|also|always|now) )*"
_WISH: Final = re.compile(  # that something be done
    rf"\b{_WOULD}(?:like|love|prefer|want|expect|need|rather have|wish)(?: for)? (?!to\b|my\b|me\b|us\b)"
    rf"(?:[\w'’/-]+ ){{1,6}}?(?:(?:to )?(?:(?:always|never|just|only|not) )*(?:be|get) )?(?:\w+ly )?{_DONE}"
)
_UNASKED: Final = re.compile(  # whether its speaker is asked, in the languages whose passives extraction does not read
    r"\b(?:i|we)(?:['’]d| would)? (?:(?:do not|don['’]?t|never|really|also|always|only) )*(?:want|wish|like|need|have|"
    r"prefer|expect)(?: not| never)? to (?:not |never |always |only )*be (?:asked|prompted|consulted|notified|warned|"
    r"bothered|interrupted|informed|pinged|told)\b(?=[\s.!]*$| (?:again|first|any ?more|each|every|before|if|when\w*|"
    r"about (?!m[ey]\b)|for (?:\w+ )?(?:permission|confirmation|approval|consent)|unless|only|beforehand)\b)"
    r"|\b(?:ich|wir) (?:will|wollen|möchten?) (?:\w+ ){0,4}?(?:gefragt|gewarnt|benachrichtigt|informiert) werden\b"
    r"|\b(?:no )?(?:quiero|queremos) que (?:me|nos) (?:pregunten|avisen|consulten|pidan (?:permiso|confirmación))\b"
    r"|\b(?:não )?(?:quero|queremos) (?:que me (?:perguntem|avisem|consultem)|ser (?:avisad|consultad|perguntad)[oa])\b"
    r"|\bje (?:ne |n['’])?(?:veux|souhaite) (?:pas |plus )?(?:qu['’]on me (?:demande|prévienne|consulte)|"
    r"être (?:consulté|prévenu|interrogé|averti)e?)\b"
    r"|(?<!\w)хо(?:чу|тим),? чтобы (?:меня|нас|у меня) (?:\w+ )?(?:спрашивали|предупреждали|уведомляли)(?!\w)"
    r"|(?<!\w)(?:ne)?chci,? aby (?:se )?mě (?:\w+ )?(?:ptal|varoval|upozorňoval|žádal)\w*"
)
_GRANTED: Final = re.compile(
    r"^(?:full |standing |blanket )?permission (?:to|for) .+ (?:is|are) (?:\w+ )?granted\b"
    r"|^(?:i|we) (?:hereby |now )?grant (?:\w+ )?(?:permission|approval)\b"
)
_ALLOWED: Final = re.compile(
    r"\b(?:is|are|it['’]s) (?:(?:always|now|perfectly|hereby) )*"
    r"(?:(?:ok|okay|fine|acceptable) to\b|allowed\b|permitted\b)"
    r"|\b(?:give|gives|have|has|there is|there['’]s) (?:\w+ )?(?:permission|approval|clearance) (?:to|for)\b"
)
_AGREED: Final = re.compile(
    r"\b(?:we|the team|our team|all of us|everyone|everybody)(?:['’]ve| have| has)? (?:(?:all|just|now|also|both) )*"
    r"(?:agreed|decided|resolved|settled)(?: that)?(?: (?:not|never|always))? (?:to|on|we)\b"
)
_ASSISTANT: Final = re.compile(
    r"^(?:[^,]+, )?(?:claude(?: code)?|codex|copilot|gemini|chatgpt|cursor|"
    r"(?:(?:the|our|my|all|any|these) )*(?:(?:ai|coding|background|autonomous) )*"
    r"(?:sub-?)?(?:agents?|bots?|assistants?))"
    r" (?!(?:was|were|had|did|wrote|said|told|made|broke|built|went|\w{2,}ed)\b)\w"
)
_PRODUCT: Final = re.compile(  # no person has such a name
    r"^(?:claude code|codex|copilot|chatgpt) (?:may|must|shall|should|need not|needn['’]?t|"
    r"has permission|is (?:allowed|free))\b"
)
_ANYWAY: Final = re.compile(
    r"^(?:even )?(?:if|when|whenever|while|once) [^,]+, .*\b(?:anyway|regardless|all the same)\b"
)
_OF_WORK: Final = (_WISH, _ALLOWED, _AGREED, _ASSISTANT, _ANYWAY)


def has_form_of_directive(text: str) -> bool:
    """Whether a statement wishes, grants or tells of an agreement how an assistant is to work, by its form."""
    plain = fold(text)
    if _UNASKED.search(plain) or _GRANTED.search(plain) or _PRODUCT.search(plain):
        return True
    return any(form.search(plain) for form in _OF_WORK) and _WORK.search(plain) is not None
