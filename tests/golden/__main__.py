"""``python -m tests.golden``: the digests anew, where a version rose."""

from __future__ import annotations

import json
import sys

from tests.golden.digests import FILE, forgotten, read
from tests.golden.outputs import entries, names


def main() -> int:
    """Write the file; refuse while an output changed and its version did not."""
    before, now = read(), entries(names())
    for name in now:
        if line := forgotten(before.get(name), now[name]):
            print(f"{name}: {line}", file=sys.stderr)
    if any(forgotten(before.get(name), now[name]) for name in now):
        return 1
    FILE.write_text(json.dumps(now, indent=1, sort_keys=True) + "\n", "utf-8")
    changed = [name for name in sorted(now | before) if before.get(name) != now.get(name)]
    print(f"{len(now)} digests; new, changed or gone: {', '.join(changed) or 'none'}")
    return 0


if __name__ == "__main__":
    if sys.argv[1:]:
        sys.exit(f"error: no option {sys.argv[1]!r}: this command takes none")
    sys.exit(main())
