"""Pages of known text whose PDF text layer is right, or wrong in a known way.

    python -m benchmarks.layer_corpus OUT
    python -m benchmarks.layer_corpus OUT --scripts latin,greek --producers typst --faults cipher

Writes `OUT/<script>_<page>-<producer>[-<fault>-<variant>].pdf` and `OUT/truth.json`. What makes the
PDFs knows nothing of what judges them: `benchmarks.layer_corpus.score` compares the two.
"""
