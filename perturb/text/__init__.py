"""Formatting noise: rewrites of ground-truth Markdown and LaTeX that leave the meaning alone."""
