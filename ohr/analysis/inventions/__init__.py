"""What engines make up: covered words, pages without text, and the same page read again."""
