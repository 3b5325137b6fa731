"""Scores texts, rankings and answers against a truth: plain functions, without a study."""
