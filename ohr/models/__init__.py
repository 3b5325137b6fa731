"""Models that others serve or that lie on this machine: HTTP, chat, checkpoints."""
