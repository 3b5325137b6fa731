"""Chinese documents: the yearly bulletin of a firm, in the look of any domain."""

from __future__ import annotations

import numpy as np

from ohr.sample.authors.world import World
from ohr.sample.blocks import PageLayout
from ohr.sample.questions.asks import numeric
from ohr.sample.template import Draft, TableDraft

_FIRST = "恒瑞泰远明宏新华长兴盛安东海天南北江西嘉"
_SECOND = "达通光源丰力和信成业维德康利顺祥科程润晟"
_KINDS = ("机械厂", "电器公司", "仪表公司", "水泵厂", "空调公司", "阀门厂")
_PRODUCTS = ("水泵", "电动机", "温度计", "压力表", "空调机", "阀门")
_TOWNS = ("青河市", "白石镇", "南湾市", "柳溪县", "东岭市", "沙洲镇", "云桥县", "金坪市", "安渡市")
_FAMILY = "王李张刘陈杨赵黄周吴徐孙胡朱高林何郭马罗"
_GIVEN = (
    "丽华",
    "建国",
    "晓明",
    "志强",
    "秀英",
    "文斌",
    "雪梅",
    "海涛",
    "玉兰",
    "国平",
    "思远",
    "敏",
)


class Bulletin:
    """The bulletin of one firm for one year; firms and people differ from document to document."""

    def __init__(self, world: World, number: int, rng: np.random.Generator) -> None:
        def integer(low: int, high: int) -> int:
            return int(rng.integers(low, high + 1))

        # Every number has a firm of its own: the letters of the name count in base 20.
        kind = number % len(_KINDS)
        rest = number // len(_KINDS) + world.seed % 400
        firm = _FIRST[rest % 20] + _SECOND[rest // 20 % 20] + _KINDS[kind]
        if rest >= 400:
            firm = _FIRST[rest // 400 % 20] + firm
        towns = [_TOWNS[int(i)] for i in rng.permutation(len(_TOWNS))]
        people = [
            _FAMILY[int(i)] + _GIVEN[integer(0, len(_GIVEN) - 1)]
            for i in rng.permutation(len(_FAMILY))[:4]
        ]
        year, founded, staff = integer(2016, 2023), integer(1952, 1998), integer(300, 4200)
        quarters = [integer(900, 4000) for _ in range(3)]
        quarters.append(max(quarters) + integer(50, 900))
        profits = [int(value * rng.uniform(0.06, 0.16)) for value in quarters]
        patents = integer(9, 60)
        self.name = f"bulletin-{number:05d}-{year}"
        self.title = f"{firm}年度简报（{year}年）"
        self.layout = PageLayout(footer="— {page} —")
        self.slots = {
            "firm": firm,
            "product": _PRODUCTS[kind],
            "town": towns[0],
            "site": towns[1],
            "newtown": towns[2],
            "college": f"{towns[3][:2]}工业学院",
            "chief": people[0],
            "lead": people[1],
            "union": people[2],
            "head": people[3],
            "year": str(year),
            "month": str(integer(2, 12)),
            "open": str(integer(2, 12)),
            "issue": str(integer(11, 90)),
            "founded": str(founded),
            "wrong_founded": str(founded + (5 if founded % 10 < 5 else -5)),
            "staff": str(staff),
            "engineers": str(staff // integer(6, 14)),
            "minutes": str(5 * integer(3, 16)),
            "since": str(year - integer(2, 12)),
            "revenue": str(sum(quarters)),
            "growth": str(integer(2, 19)),
            "invest": str(10 * integer(12, 95)),
            "patents": str(patents),
            "granted": str(patents // 2),
            "saving": str(integer(5, 32)),
            "students": str(integer(6, 45)),
            "fine": str(50 * integer(1, 9)),
            "interval": str(integer(6, 45)),
            "report": str(integer(5, 40)),
            "courses": str(integer(3, 18)),
            "meals": str(10 * integer(25, 300)),
            "raise": str(integer(2, 11)),
            "books": str(10 * integer(20, 400)),
            "hires": str(integer(6, 48)),
            "warranty": str(integer(3, 8)),
            "trucks": str(integer(4, 38)),
        }
        names = ("第一季度", "第二季度", "第三季度", "第四季度")
        rows = [
            (name, str(value), str(profit))
            for name, value, profit in zip(names, quarters, profits, strict=True)
        ]
        asks = [
            (row, numeric(f"<year>年{name}<firm>的收入是多少万元？", str(quarters[row])))
            for row, name in enumerate(names)
        ] + [
            (row, numeric(f"<year>年{name}<firm>的利润是多少万元？", str(profits[row])))
            for row, name in enumerate(names)
        ]
        rows.append(("全年", str(sum(quarters)), str(sum(profits))))
        header = ("<firm>（<year>年）", "收入（万元）", "利润（万元）")
        self.tables: dict[str, Draft] = {
            "quarters": TableDraft(header, rows, asks, "lrr", grid=True)
        }
