"""Digests of what built-in plug-ins make of small fixed inputs: none changes unnoticed.

``digests.json`` has of each its version, a digest of the rest of its identity, a digest of the
output, and under ``with`` what the output also depends on and is not the project's: the version
of an engine, or of the packages that draw. ``python -m tests.golden`` makes the file anew.
"""
