"""Finds, parses, writes and converts tables in LaTeX, HTML and Markdown."""

from ohr.markup.tables.convert import TableLoss, convert_tables
from ohr.markup.tables.model import Cell, ParsedTable, Table, TableFormat
from ohr.markup.tables.parse import parse_tables
from ohr.markup.tables.write import Loss, write_table

__all__ = [
    "Cell",
    "Loss",
    "ParsedTable",
    "Table",
    "TableFormat",
    "TableLoss",
    "convert_tables",
    "parse_tables",
    "write_table",
]
