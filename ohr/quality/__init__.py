"""Estimates how wrong OCR output is without ground truth.

:mod:`ohr.quality.signals` computes the signals of a page, :mod:`ohr.quality.predictor` predicts
errors from them, :mod:`ohr.quality.truth` defines the errors, and :mod:`ohr.quality.inference`
corrects predictions by a few transcribed pages.
"""
