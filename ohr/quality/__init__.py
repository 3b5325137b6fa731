"""How wrong a reading is, where there is no truth: signals, a prediction, its correction.

:mod:`ohr.quality.signals` says what of a page's reading can be seen without truth,
:mod:`ohr.quality.predictor` what error that speaks for, :mod:`ohr.quality.truth` what is
predicted, and :mod:`ohr.quality.inference` what a few transcribed pages add.
"""
