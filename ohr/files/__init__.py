"""Safe reading of files and text from outside."""
