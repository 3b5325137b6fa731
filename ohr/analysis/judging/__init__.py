"""Grades and preferences of a judge."""
