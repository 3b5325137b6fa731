"""Page distortions (semantic noise)."""
