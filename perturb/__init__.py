"""Noise: distort page images, or rewrite ground-truth Markdown and LaTeX."""
