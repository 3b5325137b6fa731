"""Noise suites: frozen pages, noise and settings, so that one number of two engines is comparable.

A suite is a folder here: ``suite.yaml`` (the data, the noise and the options of its study),
``materials.json`` (the digests of its PDFs, and what its distorted pages look like) and
``baseline.json`` (the scores of its frozen engine). None of these changes: another suite gets
another name.
"""
