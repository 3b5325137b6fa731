"""The methods of a finished run in words: a paragraph and an appendix for a paper."""
