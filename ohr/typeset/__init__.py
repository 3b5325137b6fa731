"""Typesets the ground truth of any dataset: Markdown with LaTeX as PDFs, one page a page.

Text, headings, lists and tables are found by the toolkit's own parser (:mod:`ohr.markup`), so that
a page shows what the metrics compare; formulas are converted by Pandoc; Typst sets the pages.
"""
