"""The grammar of a page: Markdown with LaTeX, headings, symbols and tables."""
