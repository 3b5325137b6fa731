"""Lists the noise suites, with their distortions and what is frozen.

``ohr suite list`` prints for each suite what it is made of, and the intensity of each distortion
at each severity.
"""

from __future__ import annotations

from experiments._command import command


@command
def main() -> int:
    """List the noise suites."""
    from ohr.suites.listing import list_suites

    return list_suites()


if __name__ == "__main__":
    main()
