"""Research papers: how a part of one company's product ages, measured in the field."""

from __future__ import annotations

import numpy as np

from ohr.sample.authors.money import shares_of
from ohr.sample.authors.naming import Naming
from ohr.sample.authors.world import World
from ohr.sample.blocks import PageLayout
from ohr.sample.questions.asks import differing, listed, numeric, reasoned, reasoning_over
from ohr.sample.template import ChartDraft, Draft, FigureDraft, Merged, Numbered, TableDraft

COATINGS = ("hard chrome", "ceramic glaze", "nickel", "graphite", "enamel", "silicon resin")
GROUPS = ("dairies", "joineries", "laundries", "bakeries", "garages", "printing shops")
REASONS = ("Low noise", "Short delivery", "Price", "Spare parts", "Advice of a fitter")
MONTHS = ("January", "March", "April", "June", "September", "October")
STUDY = "in the <year> study of <author0> and colleagues"


class Paper:
    """A paper of three authors about the product of one company."""

    domain = "academic"

    def __init__(self, world: World, index: int, rng: np.random.Generator) -> None:
        company = world.company(index)
        device = company.sector["device"]

        def integer(low: int, high: int) -> int:
            return int(rng.integers(low, high + 1))

        parts = device["roles"]["faulty"]
        part = parts[integer(0, len(parts) - 1)]
        # The first author studies the same product every year, each time with other people.
        people = [world.person(-501 - 9 * world.entity(index))]
        people += [world.person(-501 - 9 * index - i) for i in range(1, 8)]
        places = [world.place(-801 - 4 * index - i) for i in range(3)]
        year = world.year(index)
        alpha, beta = integer(21, 98), integer(11, 59)  # hundredths
        hours, starts = integer(2, 9), integer(2, 9)
        cost, slope = integer(60, 240), integer(2, 12)
        best = (2 * cost / slope) ** 0.5
        units = integer(36, 180)
        self.name = f"{people[0].lower().replace(' ', '-')}-{part.replace(' ', '-')}-{year}"
        self.title = (
            f"Ageing of the {part} in {device['kind']}s: a field study of the {company.product}"
        )
        self.layout = PageLayout(
            columns=2,
            header=f"{people[0]} et al., Ageing of the {part}, {year}",
            footer="{page}",
        )
        self.naming = Naming(
            people[0],
            f"the {year} study",
            f"the {year} study of {people[0]} and colleagues",
            (people[0], str(year)),
        )
        self.slots = {
            "year": str(year),
            "part": part,
            "device": device["kind"],
            "product": company.product,
            "company": company.name,
            "medium": device["medium"],
            "output": device["output"],
            "university": places[0],
            "site_town": places[1],
            "college": places[2],
            "units": str(units),
            "months": str(integer(14, 48)),
            "knee": f"{100 * integer(41, 97):,}",
            "coating": COATINGS[integer(0, len(COATINGS) - 1)],
            "coating_cost": f"{integer(110, 990) / 100:.2f}",
            "old_units": str(integer(3, 12)),
            "old_loss": f"{integer(21, 89) / 10:.1f}",
            "sites": str(integer(9, 35)),
            "coated": str(integer(15, 34)),
            "interval": ("week", "fortnight", "month")[integer(0, 2)],
            "meter_error": f"{integer(2, 9) / 10:.1f}",
            "calibrated": str(year - 2),
            "corrected": str(integer(3, 14)),
            "gaps": str(integer(4, 9)),
            "alpha": f"{alpha / 100:.2f}",
            "beta": f"{beta / 100:.2f}",
            "model_one": f"{(alpha + beta) / 100:.2f}",
            "h_example": str(hours),
            "s_example": str(starts),
            "loss_example": f"{(alpha * hours + beta * starts) / 100:.2f}",
            "sigma": f"{integer(21, 88) / 100:.2f}",
            "replaced": str(integer(3, 13)),
            "equal_hours": str(10 * integer(3, 19)),
            "replace_minutes": str(5 * integer(3, 11)),
            "replace_cost": str(cost),
            "part_share": str(integer(25, 70)),
            "waste": str(integer(11, 59)),
            "slope": str(slope),
            "best_time": f"{best:.1f}",
            "replace_month": MONTHS[integer(0, len(MONTHS) - 1)],
            "built_months": str(integer(3, 11)),
            "saving": str(integer(45, 390)),
            "grant": f"{'KLMNRST'[integer(0, 6)]}{integer(100, 999)}/{integer(11, 29)}",
            "second_year": str(year - integer(16, 40)),
            "survey": str(integer(12, 48)),
            "most_visits": str(integer(41, 88)),
            "typos": str(integer(5, 38)),
            "control": str(integer(5, 12)),
            "unknown": str(integer(3, 15)),
            "outside": f"{integer(38, 62) / 10:.1f}",
            "season": f"{integer(11, 39) / 10:.1f}",
            "noise_units": str(integer(8, 24)),
            "noise_change": f"{integer(6, 19) / 10:.1f}",
            "listeners": str(integer(11, 40)),
            "price_effect": str(integer(24, 31)),
            "filtered": str(integer(4, 14)),
            "fail_year": str(year + integer(4, 11)),
            "worth": f"{100 * integer(11, 29):,}",
            "ref_year": str(year - integer(14, 30)),
            "ref_year2": str(year - integer(6, 13)),
            "ref_year3": str(year - integer(1, 5)),
            **dict(
                zip(
                    "author0 author1 author2 pioneer owner thanked second_pioneer keeper".split(),
                    people,
                    strict=False,
                )
            ),
        }
        groups = [GROUPS[int(i)] for i in rng.permutation(len(GROUPS))[:4]]
        self.tables: dict[str, Draft] = {
            "rig": FigureDraft(
                "flow",
                "Figure 1: The <product> and the meter.",
                ("Mains", "Counter", "Unit", "Meter", "Load"),
            ),
            "wall": FigureDraft("device", "Figure 4: The <product>.", ("Housing", "Counter")),
            "losses": _losses(groups, units, rng),
            "course": _course(rng),
            "reasons": _reasons(units, rng),
        }


def _losses(groups: list[str], units: int, rng: np.random.Generator) -> TableDraft:
    bare = [int(v) for v in rng.choice(np.arange(31, 96), 4, replace=False)]
    coated = [int(v * rng.uniform(0.4, 0.6)) for v in bare]
    numbers = shares_of([int(v) for v in rng.integers(20, 60, 4)], units)
    rows = [
        (name.capitalize(), str(n), f"{a / 10:.1f}", f"{b / 10:.1f}")
        for name, n, a, b in zip(groups, numbers, bare, coated, strict=True)
    ]
    asks: list[Numbered] = []
    for row, (name, (_, n, without, coating)) in enumerate(zip(groups, rows, strict=True)):
        of = f"of units of the <product> in {name} {STUDY}"
        gain = f"{(bare[row] - coated[row]) / 10:.1f}"
        asks += [
            (row, numeric(f"What was the mean loss, in per cent, {of} without coating?", without)),
            (row, numeric(f"What was the mean loss, in per cent, {of} with coating?", coating)),
            (row, numeric(f"How many units of the <product> stood in {name} {STUDY}?", n)),
            (
                row,
                reasoned(
                    numeric(
                        f"By how many percentage points did coating lower the mean loss {of}?", gain
                    )
                ),
            ),
            (
                row,
                reasoned(
                    differing(
                        f"Did coating lower the mean loss {of} by {{}} percentage points?",
                        gain,
                    )
                ),
            ),
        ]
    asks += reasoning_over(
        groups,
        [row[2] for row in rows],
        of="the mean loss without coating in {}",
        where=f"of units of the <product> {STUDY}",
        unit="per cent",
        which="Which group of owners had the {} mean loss without coating",
        several="Which groups of owners had a mean loss without coating of more than {} per cent",
    )
    asks.append(
        (3, listed(f"Which four groups of owners of the <product> are compared {STUDY}?", groups))
    )
    return TableDraft(
        (
            Merged("<product>", rowspan=2),
            Merged("Units", rowspan=2),
            Merged("Mean loss in %", colspan=2),
        ),
        rows,
        asks,
        "lrrr",
        caption="Table 1: Mean loss of the <product> by group of owners.",
        subheader=("bare", "coated"),
    )


def _course(rng: np.random.Generator) -> ChartDraft:
    months = tuple(str(month) for month in (3, 6, 9, 12, 15))
    steps = np.sort(rng.choice(np.arange(2, 12), 4, replace=False))
    values = np.cumsum([*steps, int(steps.sum()) + 5])
    written = [f"{int(value) / 10:.1f}" for value in values]
    of = f"the mean loss of the <product> without coating after {{}} months {STUDY}"
    asks: list[Numbered] = [
        (row, numeric(f"What was {of.format(month)}, in per cent?", value))
        for row, (month, value) in enumerate(zip(months, written, strict=True))
    ]
    asks += reasoning_over(
        months,
        written,
        of="the mean loss after {} months",
        where=f"of the <product> without coating {STUDY}",
        unit="per cent",
    )
    return ChartDraft(
        "line",
        "<product>, months",
        months,
        {"Mean loss": written},
        asks,
        unit="%",
        caption="Figure 2: Mean loss of the <product> without coating.",
    )


def _reasons(units: int, rng: np.random.Generator) -> ChartDraft:
    counts = shares_of([int(v) for v in rng.choice(np.arange(5, 60), len(REASONS), False)], units)
    written = [str(count) for count in counts]
    of = f"the number of owners who named '{{}}' as the reason for buying the <product> {STUDY}"
    asks: list[Numbered] = [
        (row, numeric(f"What was {of.format(reason)}?", value))
        for row, (reason, value) in enumerate(zip(REASONS, written, strict=True))
    ]
    asks += reasoning_over(
        REASONS,
        written,
        of="the number of owners who named '{}'",
        where=f"as the reason for buying the <product> {STUDY}",
        which="Which reason was named by the {} number of owners",
        several="Which reasons were named by more than {} owners",
    )
    return ChartDraft(
        "bar",
        "<product>, reason",
        REASONS,
        {"Owners": written},
        asks,
        caption="Figure 3: Why owners bought the <product>.",
    )
