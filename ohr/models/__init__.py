"""Models on servers and on this machine: HTTP, chat completions, checkpoints."""
