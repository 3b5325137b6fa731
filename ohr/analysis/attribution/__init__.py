"""Which part of the system loses how much F1."""
