"""Planning: how many documents a study needs, and what it can show with those it has."""
