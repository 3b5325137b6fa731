"""The runs that the claims of results pages rest on."""

from __future__ import annotations

from make_results import DATA, ERRORS, FORMATTING, TABLE_FORMATS
from results_table import Study

RETRIEVERS = '"retrievers=[bm25,{name: bm25, label: 4-grams, params: {terms: ngrams}}]"'
IMAGE_NOISE = (
    "noise_curve dataset.kind=ohrbench "
    "dataset.path=$S/retrieval_base dataset.questions=$S/qas.json dataset.pdfs=$S/pdfs "
    'dataset.pages=evidence "engines=[tesseract]" "noise=[semantic]" "levels=[severe]" '
    '"seeds=[0]" ground_truth=true'
)
STUDIES = (
    Study("mineru", f'ocr_benchmark {DATA} "engines=[gt,precomputed:MinerU]" {RETRIEVERS}'),
    FORMATTING,
    TABLE_FORMATS,
    ERRORS,
    Study("image", IMAGE_NOISE),
)
"""The runs of the claims; ``$S`` is a sample: ``ohr dataset make-sample --pages 300``."""
SAMPLE_STUDIES = (Study("image_2", IMAGE_NOISE),)
"""The same study on a sample of another seed."""
RECEIPTS = "dataset.kind=sroie dataset.path=$D/receipts dataset.questions=$D/receipts/qas.json"
TWINS = (
    "dataset.kind=ohrbench dataset.path=$T/retrieval_base dataset.questions=$T/qas.json "
    "dataset.pdfs=$T/pdfs"
)
TINY = "{name: rapidocr, label: tiny, params: {models: tiny}}"
SCAN_STUDIES = (
    Study("scans", f'ocr_benchmark {RECEIPTS} "engines=[gt,tesseract]" {RETRIEVERS}'),
    Study("twins", f'ocr_benchmark {TWINS} "engines=[gt,tesseract]" {RETRIEVERS}'),
    Study(
        "scans_80",
        f'ocr_benchmark {RECEIPTS} "dataset.documents=$N" '
        f'"engines=[gt,tesseract,rapidocr,{TINY}]" {RETRIEVERS}',
    ),
    Study(
        "twins_80",
        f'ocr_benchmark {TWINS} "dataset.documents=$N" '
        f'"engines=[gt,tesseract,rapidocr,{TINY}]" {RETRIEVERS}',
    ),
)
"""The runs of the claims on real scans; ``$T`` are their twins (``ohr dataset twins``), ``$N`` the
names of 80 receipts, every second one of the first 160."""
TINY_STUDIES = (
    Study("scans_tiny", f'ocr_benchmark {RECEIPTS} "engines=[gt,tesseract,{TINY}]" {RETRIEVERS}'),
    Study("twins_tiny", f'ocr_benchmark {TWINS} "engines=[gt,tesseract,{TINY}]" {RETRIEVERS}'),
)
"""The same on all receipts with RapidOCR's smallest models, too."""
QWEN = (
    "{name: transformers, label: qwen-0.5b, params: {model: $M/qwen2.5-coder-0.5b.gguf, "
    "dtype: bfloat16, max_new_tokens: 32}}"
)
ANSWERING = f'top_k=1 "readers=[{QWEN}]" "dataset.documents=$H"'
WHOLE_CHAIN = '"engines=[gt,tesseract]" "stages=[ocr,retrieval,generation,overall]"'
ANSWER_STUDIES = (
    Study("answers_scans", f"ocr_benchmark {RECEIPTS} {WHOLE_CHAIN} {ANSWERING}"),
    Study("answers_twins", f"ocr_benchmark {TWINS} {WHOLE_CHAIN} {ANSWERING}"),
)
"""A language model's answers about 40 of the 80 receipts, ``$H``, every second one from the second
on; ``$M`` is the folder ``OHR_MODELS``."""
FRENCH = "{name: tesseract, label: tesseract-fra, params: {languages: [fra]}}"
READING = f'"engines=[{FRENCH},{TINY}]" "stages=[ocr]" "metrics=[default,reading]"'
TYPEWRITER_STUDIES = (
    Study(
        "typewriter_scans",
        "ocr_benchmark dataset.kind=sroie dataset.path=$D/typewriter "
        f'"dataset.params={{marks: _^~}}" {READING}',
    ),
    Study(
        "typewriter_twins",
        "ocr_benchmark dataset.kind=ohrbench dataset.path=$T/retrieval_base "
        f"dataset.questions=$T/qas.json dataset.pdfs=$T/pdfs {READING}",
    ),
)
"""Typewritten French pages and their twins, ``$T``."""
BOTH = (
    "mitigations dataset.kind=ohrbench dataset.path=$B/retrieval_base "
    "dataset.questions=$B/qas.json dataset.pdfs=$B/pdfs"
)
BENCH = (
    '"engines=[tesseract]" "noise=[]" "stages=[ocr]" --arms upscale,add_words '
    "--natural '*-scan/*' --second \"{name: rapidocr, params: {models: tiny}}\""
)
ADDING = (
    "{name: fused, label: add_words, params: {method: {name: add_words}, "
    "engines: [tesseract, {name: rapidocr, params: {models: tiny}}]}}"
)
UPSCALING = (
    "{name: repaired, label: upscale, params: {engine: {name: tesseract}, "
    "steps: [{name: upscale}]}}"
)
REPAIR_STUDIES = (
    Study("repairs_tested", f'{BOTH} "dataset.documents=$O" {BENCH}'),
    Study("repairs_chosen", f'{BOTH} "dataset.documents=$E" {BENCH}'),
    Study(
        "repairs_scans",
        f'ocr_benchmark {RECEIPTS} "dataset.documents=$R" "stages=[ocr,retrieval]" '
        f'"engines=[gt,tesseract,{UPSCALING},{ADDING},{TINY}]"',
    ),
)
"""What repairs win back: ``$B`` are the receipts' twins and scans, ``$E`` those at even places of
the names' order, by which a repair was chosen, ``$O`` those at odd places, and ``$R`` the scans of
these."""
TYPESET = (
    "noise_curve dataset.kind=ohrbench dataset.path=$Y/retrieval_base "
    'dataset.questions=$Y/qas.json dataset.pdfs=$Y/pdfs "seeds=[0]" "noise=[scan]"'
)
TYPESET_STUDIES = (
    Study("typeset_tesseract", f'{TYPESET} "engines=[gt,tesseract]" "intensities=[0.5,1.0]"'),
    Study("typeset_tiny", f'{TYPESET} "engines=[gt,{TINY}]" "intensities=[0.5,1.0]"'),
)
"""OHR-Bench's pages, typeset, ``$Y``, under ``scan`` at two strengths, read by two engines."""
