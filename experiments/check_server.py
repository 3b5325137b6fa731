"""Checks what a language model's server can do, and prints the settings for it.

``ohr check-server http://localhost:8000/v1 --model NAME`` sends some 15 short requests to an
OpenAI-compatible server: whether it answers, under which name, with or without a system turn, the
same each time, cut at the limit; whether it takes JSON schemas, tools and page images, and gives
probabilities; how it streams and compresses; how many requests it serves at once. It ends with the
reader to put into a study. Exit code 1 if the server answers no question.
"""

from __future__ import annotations

from typing import Annotated

import typer

from experiments._command import command


@command
def main(
    url: Annotated[
        str, typer.Argument(metavar="URL", help="Address, such as http://localhost:8000/v1.")
    ],
    model: Annotated[str, typer.Option(help="Model to ask; default: the one that is served.")] = "",
    api_key_env: Annotated[
        str | None, typer.Option(help="Environment variable with the API key.")
    ] = None,
    timeout_s: Annotated[
        float, typer.Option(min=1, max=3600, help="Most seconds for an answer.")
    ] = 60,
) -> int:
    """Check a language model's server; print settings."""
    from ohr.display.server_check import check_server

    return check_server(url, model, api_key_env, timeout_s)


if __name__ == "__main__":
    main()
