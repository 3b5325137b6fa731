"""Text noise in scripts without spaces between words, and in scripts other than Latin."""

from __future__ import annotations

import unicodedata
from collections import Counter

import numpy as np
import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

import ohr
from ohr import registry
from ohr.markup.strip import strip_markup
from ohr.markup.writing_systems import script_of, unspaced_tokens
from ohr.metrics.default_tokens import tokens
from ohr.ocr_errors.files import read_model, shipped_models
from ohr.ocr_errors.make import ErrorMaker
from ohr.ocr_errors.own_script import OwnScript
from ohr.ocr_errors.words import page_words
from tests.examples import examples
from tests.perturb.text.parsing import check_styles, check_titles, latex_problem, skeleton

quick = examples(150)
seeds = st.integers(0, 2**32)
intensities = st.sampled_from([0.1, 0.3, 0.6, 1.0])

SENTENCES = {
    "Chinese": "港务局今年修理了七座灯塔，并把两艘旧船卖给邻县。渔民要求降低码头的费用。",
    "Japanese": "港の灯台は去年の秋に修理され、新しいレンズが三枚付いた。漁師は満足している。",
    "Thai": "ประภาคารแห่งใหม่ของท่าเรือเปิดใช้งานเมื่อปีก่อนและมีผู้เข้าชมจำนวนมาก",
    "Khmer": "កំពង់ផែថ្មីត្រូវបានបើកនៅដើមឆ្នាំនេះហើយមានកប៉ាល់ជាច្រើន។",
    "Burmese": "ဆိပ်ကမ်းအသစ်ကိုယခုနှစ်အစတွင်ဖွင့်လှစ်ခဲ့သည်။",
    "Arabic": "أصلحت إدارة الميناء سبع منارات هذا العام وباعت سفينتين قديمتين",
    "Persian": "اداره بندر امسال هفت فانوس دریایی را تعمیر کرد و دو کشتی فروخت",
    "Hindi": "बंदरगाह ने इस साल सात प्रकाश स्तंभ ठीक किए और दो पुराने जहाज बेचे",
    "Bengali": "বন্দর এই বছর সাতটি বাতিঘর মেরামত করেছে এবং দুটি জাহাজ বিক্রি করেছে",
    "Tamil": "துறைமுகம் இந்த ஆண்டு ஏழு கலங்கரை விளக்கங்களை சரிசெய்தது",
    "Russian": "Порт отремонтировал в этом году семь маяков и продал два старых судна",
    "Ukrainian": "Порт відремонтував цього року сім маяків і продав два старі судна",
    "Greek": "Το λιμάνι επισκεύασε φέτος επτά φάρους και πούλησε δύο παλιά πλοία",
    "Hebrew": "הנמל תיקן השנה שבעה מגדלורים ומכר שתי ספינות ישנות",
    "Georgian": "პორტმა წელს შვიდი შუქურა შეაკეთა და ორი ძველი გემი გაყიდა",
    "Korean": "항구는 올해 등대 일곱 곳을 고치고 낡은 배 두 척을 팔았다",
    "Amharic": "ወደቡ በዚህ ዓመት ሰባት መብራቶችን ጠገነ ሁለት አሮጌ መርከቦችንም ሸጠ",
}
UNSPACED = ("Chinese", "Japanese", "Thai", "Khmer", "Burmese")

PIECES = st.sampled_from(
    [
        *(SENTENCES[name] for name in UNSPACED),
        *(
            "灯",
            "灯塔",
            "三座。",
            "费用很高。",
            "“灯塔”",
            "（见附录）",
            "2031",
            "OHR",
            "3.5%",
            "，",
        ),
        *("**粗体**", "*斜*", r"\textbf{灯塔}", "`码`", "$x_1$", "[链接](http://x.y)", "々", "・"),
        *("English words here", "a", "_", "1.", "- ", "ー"),
    ]
)
PAGES = st.lists(st.tuples(PIECES, st.sampled_from(["", "", "", " ", "\n", "\n\n"])), max_size=14)
PAGES = PAGES.map(lambda pieces: "".join(piece + gap for piece, gap in pieces))


def noisy(page, intensity, seed=0, name="formatting", **params):
    operator = registry.create("perturbation", registry.PluginSpec(name=name, params=params))
    return operator.apply(page, intensity=intensity, rng=np.random.default_rng(seed))


def letters(text):
    return [char for char in text if char.isalnum()]


@pytest.mark.parametrize("language", SENTENCES)
@pytest.mark.parametrize("name", ["formatting", "text_style", "line_breaks"])
def test_formatting_reaches_every_writing_system(language, name):
    page = SENTENCES[language]
    doses = [
        sum(noisy(page, intensity, seed, name).value != page for seed in range(12)) / 12
        for intensity in (0.3, 1.0)
    ]
    assert doses[0] > 0.2
    assert doses[1] == 1


@pytest.mark.parametrize("model", shipped_models())
@pytest.mark.parametrize("language", SENTENCES)
def test_ocr_errors_have_the_wanted_distance_in_every_writing_system(language, model):
    distance = ohr.load_metric("edit_distance")
    page = "\n\n".join([SENTENCES[language] * 3] * 4)
    for intensity, low, high in ((0.15, 0.02, 0.5), (0.6, 0.3, 0.85)):
        reached = np.mean(
            [
                distance(noisy(page, intensity, seed, "ocr_errors", model=model).value, page)
                for seed in range(8)
            ]
        )
        assert low < reached < high


@pytest.mark.parametrize("model", shipped_models())
@pytest.mark.parametrize("language", SENTENCES)
def test_errors_stay_in_their_script(language, model):
    page = f"{SENTENCES[language]} 2031: 47, 12\n\n" * 6
    own = {script_of(char) for char in page} - {""}
    for seed in range(6):
        value = noisy(page, 0.5, seed, "ocr_errors", model=model).value
        assert not [c for c in value if "LATIN" in unicodedata.name(c, "")]
        assert {script_of(char) for char in value} - {""} <= own


def test_a_greek_letter_in_an_english_text_stays_a_symbol():
    page = "The mean width of the channel is α times that of the river, as before. " * 8
    values = {noisy(page, 0.4, seed, "ocr_errors").value for seed in range(8)}
    assert len(values) == 8
    assert not any(script_of(c) == "GREEK" and c != "α" for value in values for c in value)


def test_greek_letters_of_formulas_make_no_greek_page():
    page = "The pilot’s rule is $\\phi = \\alpha + \\beta$ and $\\psi \\in \\Omega$. " * 3
    maker = ErrorMaker(read_model("tesseract"))
    words = page_words(page)
    assert any(script_of(char) == "GREEK" for word in words.words for char in word)
    assert not OwnScript(maker.model, maker.characters, maker.strings).page_scripts(words).words


@pytest.mark.parametrize(("char", "like"), [("未", "末"), ("土", "士"), ("シ", "ツ"), ("Ш", "Щ")])
def test_letters_that_look_alike_are_exchanged(char, like):
    values = "".join(
        noisy(f"{char * 5} " * 20, 0.3, seed, "ocr_errors").value for seed in range(12)
    )
    assert like in values


@quick
@given(page=PAGES, intensity=intensities, seed=seeds)
@example(page="**粗体**灯塔很高。费用很高。" * 3, intensity=1.0, seed=1)
def test_no_letter_is_lost(page, intensity, seed):
    value = noisy(page, intensity, seed).value
    assert letters(strip_markup(value)) == letters(strip_markup(page))


@quick
@given(page=PAGES, intensity=intensities, seed=seeds)
@example(page="จำนวนมาก ຈຳນວນ " * 5, intensity=1.0, seed=0)
@example(page="费用很高。" * 9 + "a\n々港务局", intensity=0.6, seed=1)
@example(page="费用很高。" * 9 + "a a 灯塔很高", intensity=1.0, seed=0)
@example(page="费用很高。" * 9 + "a\n々港务局今年修理", intensity=1.0, seed=0)
def test_tokens_stay(page, intensity, seed):
    value = noisy(page, intensity, seed).value
    assert tokens(strip_markup(value)) == tokens(strip_markup(page))


@quick
@given(page=PAGES, intensity=intensities, seed=seeds)
@example(page="费用很高。" * 9 + "\n\n1.港务局今年修理了七座灯塔", intensity=0.3, seed=0)
@example(page="费用很高。" * 9 + "\n\n港务局+ 今年修理了七座灯塔", intensity=1.0, seed=0)
def test_markdown_keeps_its_skeleton(page, intensity, seed):
    assert skeleton(noisy(page, intensity, seed).value) == skeleton(page)


@quick
@given(page=PAGES, intensity=intensities, seed=seeds)
def test_latex_stays_readable(page, intensity, seed):
    assume(latex_problem(page) is None)
    assert latex_problem(noisy(page, intensity, seed).value) is None


@quick
@given(page=PAGES, seed=seeds)
def test_every_added_style_is_read_as_one(page, seed):
    applied = noisy(page, 1.0, seed, "text_style")
    check_styles(page, applied)


@quick
@given(page=PAGES, seed=seeds)
def test_every_added_title_is_read_as_one(page, seed):
    applied = noisy(page, 1.0, seed, "titles")
    check_titles(page, applied)


@pytest.mark.parametrize("name", ["formatting", "ocr_errors"])
@quick
@given(page=PAGES, low=st.floats(0, 1), high=st.floats(0, 1), seed=seeds)
def test_edits_nest_and_are_undone(name, page, low, high, seed):
    low, high = sorted((low, high))
    fewer, more = noisy(page, low, seed, name), noisy(page, high, seed, name)
    counts = [Counter(map(tuple, applied.record["edits"])) for applied in (fewer, more)]
    assert counts[0] <= counts[1]
    operator = registry.create("perturbation", name)
    assert operator.undo(more.value, more.record) == page
    assert operator.replay(page, more.record) == more.value


def test_short_chinese_sentences_become_titles():
    page = "费用很高。渔民们非常不满意并要求立即降低码头的费用。灯塔关了。\n"
    values = {noisy(page, 1.0, seed, "titles").value for seed in range(20)}
    assert any("# 费用很高。\n渔民" in value for value in values)
    assert any("费用。\n# 灯塔关了。\n" in value for value in values)


@given(text=st.text(alphabet="灯塔かなカナสวัสดី。，（）“”ー々a1. é", max_size=40))
def test_tokens_cover_everything_but_white_space(text):
    spans = unspaced_tokens(text)
    assert "".join(text[a:b] for a, b in spans) == "".join(text.split())
    assert all(a < b for a, b in spans)
