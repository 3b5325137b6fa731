"""Pages in many writing systems, written with the fonts of the machine."""

from __future__ import annotations

import shutil
import subprocess
from functools import cache

import numpy as np
import pytest
from PIL import Image, ImageDraw, ImageFont, features

WORDS = {
    "latin": "the harbour of our town was built in three years and its lamps are lit every "
    "evening before ships arrive with grain timber salt people quietly paying their "
    "fees",
    "german": "der Hafen unserer Stadt wurde gebaut und jeden Abend werden die Lampen "
    "angezündet bevor Schiffe mit Getreide Holz Salz über das ruhige Wasser kommen",
    "greek": "το λιμάνι της πόλης μας χτίστηκε σε τρία χρόνια και τα φώτα του ανάβουν κάθε "
    "βράδυ πριν έρθουν πλοία με σιτάρι ξύλα αλάτι και ανθρώπους που πληρώνουν ήσυχα",
    "cyrillic": "гавань нашего города была построена за три года и каждый вечер фонари горят "
    "прежде чем придут корабли с зерном лесом солью и люди которые спокойно платят",
    "ukrainian": "гавань нашого міста збудували за три роки і щовечора її ліхтарі горять перед "
    "тим як прийдуть кораблі із зерном деревом сіллю та люди що їдуть спокійно",
    "arabic": "ميناء مدينتنا بني في ثلاث سنوات وتضاء مصابيحه كل مساء قبل وصول السفن مع القمح "
    "والخشب والملح والناس الذين يدفعون بهدوء ثمن الرحلة إلى البحر الكبير",
    "hebrew": "הנמל של העיר שלנו נבנה בשלוש שנים והפנסים שלו דולקים בכל ערב לפני שהאוניות "
    "מגיעות עם תבואה עץ מלח ואנשים אשר משלמים בשקט את מחיר הדרך אל הים",
    "devanagari": "हमारे नगर का बंदरगाह तीन वर्षों में बना और उसके दीपक हर शाम जलते हैं जब जहाज़ "
    "अनाज लकड़ी नमक और लोगों के साथ आते हैं जो चुपचाप शुल्क देते हैं",
    "bengali": "আমাদের শহরের বন্দর তিন বছরে তৈরি হয়েছে এবং প্রতি সন্ধ্যায় তার বাতি জ্বলে যখন "
    "জাহাজ শস্য কাঠ লবণ এবং মানুষ নিয়ে আসে যারা নীরবে ভাড়া দেয়",
    "tamil": "எங்கள் நகரத்தின் துறைமுகம் மூன்று ஆண்டுகளில் கட்டப்பட்டது அதன் விளக்குகள் "
    "ஒவ்வொரு மாலையும் எரியும் கப்பல்கள் தானியம் மரம் உப்பு மக்கள் உடன் வரும் முன்",
    "telugu": "మా నగరం ఓడరేవు మూడు సంవత్సరాలలో కట్టబడింది దాని దీపాలు ప్రతి సాయంత్రం "
    "వెలుగుతాయి ఓడలు ధాన్యం కలప ఉప్పు మనుషులతో వచ్చే ముందు",
    "kannada": "ನಮ್ಮ ನಗರದ ಬಂದರು ಮೂರು ವರ್ಷಗಳಲ್ಲಿ ಕಟ್ಟಲಾಯಿತು ಅದರ ದೀಪಗಳು ಪ್ರತಿ ಸಂಜೆ ಬೆಳಗುತ್ತವೆ "
    "ಹಡಗುಗಳು ಧಾನ್ಯ ಮರ ಉಪ್ಪು ಜನರೊಂದಿಗೆ ಬರುವ ಮೊದಲು",
    "malayalam": "ഞങ്ങളുടെ നഗരത്തിലെ തുറമുഖം മൂന്നു വർഷം കൊണ്ട് പണിതു അതിന്റെ വിളക്കുകൾ എല്ലാ "
    "വൈകുന്നേരവും തെളിയും കപ്പലുകൾ ധാന്യം മരം ഉപ്പ് ആളുകൾ വരുന്നതിനു മുമ്പ്",
    "gujarati": "અમારા શહેરનું બંદર ત્રણ વર્ષમાં બન્યું અને તેના દીવા દરરોજ સાંજે પ્રગટે છે "
    "જ્યારે વહાણો અનાજ લાકડું મીઠું અને લોકો સાથે આવે છે",
    "gurmukhi": "ਸਾਡੇ ਸ਼ਹਿਰ ਦੀ ਬੰਦਰਗਾਹ ਤਿੰਨ ਸਾਲਾਂ ਵਿੱਚ ਬਣੀ ਅਤੇ ਇਸ ਦੇ ਦੀਵੇ ਹਰ ਸ਼ਾਮ ਜਗਦੇ ਹਨ ਜਦੋਂ "
    "ਜਹਾਜ਼ ਅਨਾਜ ਲੱਕੜ ਲੂਣ ਅਤੇ ਲੋਕਾਂ ਨਾਲ ਆਉਂਦੇ ਹਨ",
    "thai": "ท่าเรือของเมืองเรา สร้างเสร็จในสามปี และโคมไฟ จะสว่างทุกเย็น ก่อนเรือจะมาถึง "
    "พร้อมข้าว ไม้ เกลือ และผู้คน ที่จ่ายค่าเดินทาง อย่างเงียบๆ",
    "khmer": "កំពង់ផែ ទីក្រុង របស់យើង ត្រូវបាន សាងសង់ ក្នុងរយៈពេល បីឆ្នាំ ចង្កៀង ភ្លឺ "
    "រៀងរាល់ល្ងាច មុនពេល កប៉ាល់ មកដល់ ជាមួយ ស្រូវ ឈើ អំបិល",
    "georgian": "ჩვენი ქალაქის ნავსადგური სამ წელიწადში აშენდა და მისი ლამპრები ყოველ საღამოს "
    "ანათებს სანამ გემები მოვლენ ხორბლით ხით მარილით და ხალხით",
    "armenian": "մեր քաղաքի նավահանգիստը կառուցվել է երեք տարում և նրա լույսերը վառվում են ամեն "
    "երեկո մինչև նավերը գան ցորենով փայտով աղով և մարդկանցով",
    "ethiopic": "የከተማችን ወደብ በሦስት ዓመት ተሠራ መብራቶቹም በየምሽቱ ይበራሉ መርከቦች እህል እንጨት ጨው እና ሰዎች ይዘው ከመምጣታቸው "
    "በፊት ክፍያ በጸጥታ ይከፍላሉ",
    "sinhala": "අපේ නගරයේ වරාය අවුරුදු තුනකින් ඉදි කරන ලදී එහි පහන් සෑම සවසකම දැල්වේ නැව් "
    "ධාන්‍ය දැව ලුණු සහ මිනිසුන් සමඟ පැමිණීමට පෙර",
    "chinese": "我们 城市 的 港口 用了 三年 建成 每天 傍晚 灯火 都会 点亮 然后 船只 载着 粮食 "
    "木材 盐 和 旅客 慢慢 到来 人们 安静 地 付钱",
    "japanese": "私たちの 町の 港は 三年で 作られ 毎晩 明かりが ともる その後 船が 穀物や 木材 "
    "塩 そして 人々を 乗せて 静かに やって来る カモメ",
    "korean": "우리 도시의 항구는 삼 년 만에 지어졌고 매일 저녁 등불이 켜진다 그 뒤에 배들이 "
    "곡식과 나무 소금 그리고 사람들을 싣고 조용히 들어온다",
}
"""Words of each writing system (and of some languages), from which its pages are made."""
UNSPACED = ("chinese", "japanese")


@cache
def font_files(script: str) -> tuple[str, ...]:
    """Font files of the machine that have all letters of the script's words, sorted by name."""
    if shutil.which("fc-list") is None:
        return ()
    codes = " ".join(sorted({f"{ord(c):x}" for c in WORDS[script] if not c.isspace()}))
    command = ["fc-list", f":charset={codes}", "file", "style"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    files = set()
    for line in done.stdout.splitlines():
        name, _, style = line.partition(":style=")
        usual = not style or "Regular" in style or "Book" in style or "Medium" in style
        if usual and name.strip(": ").endswith((".ttf", ".otf", ".ttc")):
            files.add(name.strip(": "))
    return tuple(sorted(files))


def font_file(script: str, number: int = 0) -> str:
    """A font for a script; skips the test if the machine has none."""
    files = font_files(script)
    if not files:
        pytest.skip(f"no font on this machine has the {script} letters")
    if not features.check("raqm") and script not in ("latin", "german", "greek", "cyrillic"):
        pytest.skip("Pillow was built without Raqm, which shapes this script")
    preferred = [name for name in files if "Sans-Regular" in name or "DejaVuSerif" in name]
    plain = [name for name in files if "Noto" in name or "Lohit" in name or "DejaVu" in name]
    ordered = list(dict.fromkeys([*preferred, *plain, *files]))
    return ordered[number % len(ordered)]


def lines_of(script: str, lines: int = 22, words: int = 9, seed: int = 0) -> list[str]:
    """Lines of words of the script, in a random order."""
    rng = np.random.default_rng(seed)
    known_values = WORDS[script].split()
    joint = "" if script in UNSPACED else " "
    more = 2 if script in UNSPACED else 1
    return [joint.join(rng.choice(known_values, words * more)) for _ in range(lines)]


def script_page(
    script: str, *, size: int = 30, seed: int = 0, lines: int = 22, font: int = 0
) -> np.ndarray:
    """A white page, uint8 ``(h, w)``, with lines of a script."""
    face = ImageFont.truetype(font_file(script, font), size)
    texts = lines_of(script, lines, seed=seed)
    widths = [face.getlength(text) for text in texts]
    width = round(max(widths)) + 160
    page = Image.new("L", (width, 160 + round(1.9 * size) * lines), 255)
    draw = ImageDraw.Draw(page)
    right = script in ("arabic", "hebrew")
    for number, (text, length) in enumerate(zip(texts, widths, strict=True)):
        left_side = width - 80 - length if right else 80
        draw.text((left_side, 80 + round(1.9 * size) * number), text, fill=0, font=face)
    return np.asarray(page).copy()
