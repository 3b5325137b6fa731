"""What noise costs whole systems."""
