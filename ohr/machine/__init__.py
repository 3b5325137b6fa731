"""Engines and plug-ins of this machine, its caches, and the progress of runs."""
