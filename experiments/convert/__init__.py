"""Conversion to and from the files and services of other tools."""
