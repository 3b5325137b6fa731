"""Lists the frozen tasks that come with the toolkit."""

from __future__ import annotations

from experiments._command import command


@command
def main() -> int:
    """List the frozen tasks."""
    from ohr.tasks.running import list_tasks

    return list_tasks()


if __name__ == "__main__":
    main()
