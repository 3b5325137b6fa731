"""Published systems, one file each, which answer questions over the pages of a knowledge base."""
