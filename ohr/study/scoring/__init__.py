"""Answers, rankings and scores of a study's conditions."""
