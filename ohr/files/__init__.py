"""Reading files and text from outside safely."""
