"""HTTP statuses and names of errors: which may pass, which stop a run.

The statuses that say that this request will never succeed are few and registered (RFC 9110, and
418, 422, 428, 431, 451). All others may pass: every 5xx, and whatever a server or proxy invented,
such as 498 (no capacity) or 529 (overload).
"""

from __future__ import annotations

import re

_LASTING = frozenset(
    {400, 401, 402, 403, 404, 405, 406, 410, 411, 412, 413, 414, 415, 416, 417, 418, 422, 426}
    | {428, 431, 451}
)
NO_KEY, NO_CREDIT = 401, 402
STOPS = frozenset({NO_KEY, NO_CREDIT})
"""Statuses that concern every request: the key, and the credit."""

# Names without case and without anything but letters, so that rate_limit_error, RateLimitError and
# RATE-LIMIT-ERROR are one. Those of Google are of its gRPC codes.
_STATUS_OF_NAME = {
    "overloaded": 529,
    "overloadederror": 529,
    "ratelimit": 429,
    "ratelimiterror": 429,
    "ratelimitexceeded": 429,
    "ratelimitreached": 429,
    "toomanyrequests": 429,
    "throttled": 429,
    "throttling": 429,
    "throttlingexception": 429,
    "resourceexhausted": 429,
    "servererror": 500,
    "apierror": 500,
    "internal": 500,
    "internalerror": 500,
    "internalserver": 500,
    "internalservererror": 500,
    "badgateway": 502,
    "unavailable": 503,
    "serviceunavailable": 503,
    "serviceunavailableerror": 503,
    "enginebusy": 503,
    "modelloading": 503,
    "gatewaytimeout": 504,
    "deadlineexceeded": 504,
    "timeout": 504,
    "timeouterror": 504,
    "conflict": 409,
    "aborted": 409,
    "unauthenticated": 401,
    "authenticationerror": 401,
    "invalidapikey": 401,
    "insufficientquota": 402,
    "insufficientbalance": 402,
    "insufficientcredits": 402,
    "paymentrequired": 402,
    "billinghardlimitreached": 402,
    "billingnotactive": 402,
    "arrearage": 402,
}
_NUMBERED = re.compile(r"(?:HTTP\s*)?([45]\d\d)(?:\.0+)?(?!\d)", re.IGNORECASE)
_OVERLOAD = re.compile(
    r"rate[ _-]?limit|too many requests|overloaded|temporarily (?:unavailable|overloaded|down)"
    r"|(?:over|at) capacity|try again (?:later|in )"
    r"|\b(?:HTTP|status|code)(?:[ _]code)?[ :=]{0,3}(?:408|409|423|425|429|498|5\d\d)\b",
    re.IGNORECASE,
)

_BLAME = re.compile(
    r"invalid|unsupported|\bnot (?:supported|found|allowed|enabled|available|permitted|valid)"
    r"|\b(?:does|do) not (?:exist|support)|no such|unknown|unexpected|unrecogni[sz]ed"
    r"|too (?:long|large)|(?:maximum|max) context|context (?:length|window)|\b(?:must|should) \w"
    r"|required|missing|moderat|flagged|polic(?:y|ies)|safety|content filter|denied|forbidden"
    r"|unauthori[sz]ed|permission|bad[ _]request|malformed|schema",
    re.IGNORECASE,
)


def may_pass(status: int) -> bool:
    """Whether a request with this error status may succeed if it is sent again."""
    return 400 <= status < 600 and status not in _LASTING


def words_may_pass(words: str) -> bool:
    """Whether a server's words say that an error passes, in English."""
    return bool(_OVERLOAD.search(words))


def words_blame_request(words: str) -> bool:
    """Whether a server's words say, in English, that this request will never succeed."""
    return bool(_BLAME.search(words))


def status_of(code: object) -> int:
    """The HTTP status, from 400 to 599, of a number, text or name of an error; else 0."""
    if isinstance(code, float) and code.is_integer():
        code = int(code)
    if isinstance(code, str):
        if numbered := _NUMBERED.match(code.strip()):
            return int(numbered[1])
        return _STATUS_OF_NAME.get(re.sub(r"[\W\d_]+", "", code.lower()), 0)
    return code if type(code) is int and 400 <= code < 600 else 0


def deciding(status: int, within: int) -> int:
    """The status that decides: that of the answer, or the one named ``within`` its body (0: none).

    A body that names the cause (no key, no credit, overload) is believed before the answer's own
    status, which gateways often set to 200, 400 or 500.
    """
    if status in STOPS:
        return status
    if within in STOPS or may_pass(within):
        return within
    return status if status >= 400 else within
