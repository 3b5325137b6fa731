"""The ten categories of questions about documents (Saad-Falcon et al. 2023), with a rule for each.

The rules use a question's words and, if these do not decide, its gold evidence: the number of
pages, then the source. Categories group questions; no system sees them.
"""

from __future__ import annotations

import re

from ohr.types import Question

CATEGORIES = (
    "figure",
    "text",
    "table",
    "structure",
    "summarization",
    "extraction",
    "rewrite",
    "outside",
    "cross-page",
    "classification",
)
"""The categories in the paper's order."""

_PART = r"(?:pages?|sections?|chapters?|paragraphs?|subsections?|headings?|articles?|appendix)"
_RULES: tuple[tuple[str, str], ...] = (
    (
        "rewrite",
        r"\b(?:re-?write|rephrase|paraphrase|reword|simplify|translate|shorten)\b"
        r"|\bin (?:simpler|plain(?:er)?|modern|other) (?:words|language|english|terms)\b",
    ),
    (
        "summarization",
        r"\bsummari[sz](?:e|es|ing|ation)\b"
        r"|\b(?:write|give|provide|make|draft|need|want|is)\b.{0,40}\bsummar(?:y|ies)\b|\btl;dr\b",
    ),
    (
        "classification",
        r"\b(?:what|which) (?:kind|type|sort|genre|category) of "
        r"(?:document|text|report|publication|paper|article|file|book)\b"
        r"|\b(?:is|was) (?:this|the|that) (?:document|text|report|paper|article|publication|file)"
        r"[^.?]{0,40}? (?:an?|about|part of)\b|\bclassify\b"
        r"|^is [^?]{3,200}? (?:an?|the) [^?]{3,60} or (?:an?|the) [^?]{3,60}\?",
    ),
    (
        "outside",
        r"\bbesides (?:what|the|those)\b.{0,80}\b(?:document|text|report|paper|says?|mentioned)\b"
        r"|\bother than (?:in|by) (?:this|the) (?:document|text)\b"
        r"|\bexplain the (?:term|word|meaning)\b|\boutside (?:of )?(?:this|the) document\b"
        r"|\bnot (?:mentioned|covered|discussed) (?:in|by)\b|\bin general, ",
    ),
    (
        "extraction",
        r"^(?:please )?(?:list|extract|enumerate)\b|^(?:find|identify|name|give) (?:me )?all\b",
    ),
    (
        "cross-page",
        rf"\b{_PART} [\w.]+(?:,? (?:and|or|with|to) (?:in |the )?(?:{_PART} )?)(?:\d[\w.]*)\b"
        rf"|\b{_PART}\b[^?]{{1,120}}\bor\b[^?]{{0,60}}\b{_PART}\b"
        r"|\b(?:in|of) both (?:sections|pages|chapters|parts|tables|documents)\b"
        r"|\bacross (?:the |all |several )?(?:document|pages|sections|chapters)\b"
        r"|\b(?:abstract|introduction)\b.{3,80}\bconclusions?\b"
        r"|\bconclusions?\b.{3,80}\b(?:abstract|introduction)\b"
        r"|\blater (?:page|section)\b",
    ),
    (
        "structure",
        r"\bhow many (?:\w+ )?(?:pages|sections|chapters|tables|figures|charts|headings|paragraphs"
        r"|subsections|footnotes)\b"
        rf"|\b(?:title|heading|name) of (?:the )?(?:\w+ )?{_PART}\b"
        rf"|\b(?:on|in|at|under) (?:which|what) {_PART}\b|\b(?:which|what) {_PART}\b"
        r"|\btable of contents\b",
    ),
    (
        "figure",
        r"\b(?:figures? [\dA-Z]|fig\. ?\d|(?:the|this|which|what|first|second|last|in|each) "
        r"(?:\w+ )?(?:figure|graph|diagram|plot|image|picture|photo|photograph|illustration|map)\b"
        r"|(?:bar|line|pie) (?:charts?|graphs?)|charts?\b)",
    ),
    (
        "table",
        r"\btables? [\dA-Z]\b|\b(?:the|this|which|what|in|each|first|second|last) "
        r"(?:\w+ )?(?:table|row|column|cell)\b",
    ),
    (
        "structure",
        rf"\b(?:first|second|third|fourth|fifth|last|next|previous) {_PART}\b"
        r"|\b(?:section|chapter|page|paragraph|appendix) #?\d",
    ),
    (
        "summarization",
        r"\b(?:key|main) (?:takeaways?|points?|messages?|ideas?)\b|\boverview of\b|\bin brief\b"
        r"|\bthe gist\b|\bwhat is (?:this|the) (?:document|text|paper|report) about\b",
    ),
    (
        "extraction",
        r"^(?:please )?(?:list|find|name|extract|enumerate|identify|give)\b"
        r"|\bwhat are (?:all|the (?:two|three|four|five|six|seven|\w+ (?:factors|reasons|steps"
        r"|types|names|items|components|parts|conditions|requirements)))\b"
        r"|\bwhich (?:\w+ ){1,3}(?:are|were) (?:listed|named|mentioned|given)\b|\ball the\b",
    ),
)
_COMPILED = tuple((name, re.compile(rule, re.IGNORECASE)) for name, rule in _RULES)
_LOOKED_AT = 2000


def category_of(question: Question) -> str:
    """One of :data:`CATEGORIES`: by words, then by evidence; ``text`` if neither decides."""
    text = " ".join(question.text[:_LOOKED_AT].split())
    for name, rule in _COMPILED:
        if rule.search(text):
            return name
    if len(question.evidence_pages) > 1:
        return "cross-page"
    return {"table": "table", "chart": "figure"}.get(question.evidence_source, "text")
