"""The proxy that the environment names for an address."""

from __future__ import annotations

from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass

import httpx

from ohr.errors import MissingDependencyError


def proxy_for(url: str) -> str | None:
    """The proxy in the environment for an address; None for this machine.

    Raises MissingDependencyError, which does not quote the proxy: it may contain a password.
    """
    parts = urlsplit(url)
    if parts.hostname in ("localhost", "127.0.0.1", "::1") or proxy_bypass(parts.netloc):
        return None  # pages stay on this machine
    named = getproxies().get(parts.scheme)
    if not named:
        return None
    proxy = named if "://" in named else f"http://{named}"
    try:
        fine = httpx.URL(proxy).scheme in ("http", "https")
    except httpx.InvalidURL:
        fine = False
    if not fine:
        raise MissingDependencyError(
            f"the proxy for {parts.scheme} addresses is no http or https address: fix or unset "
            f"{parts.scheme}_proxy"
        )
    return proxy
