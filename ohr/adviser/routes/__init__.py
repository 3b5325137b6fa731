"""Decides for each page whether its text layer, an engine or a person should read it."""
