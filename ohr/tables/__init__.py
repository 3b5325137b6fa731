"""Tables in LaTeX, HTML and Markdown: found where they stand, read, written and converted."""

from ohr.tables.convert import TableLoss, convert_tables
from ohr.tables.model import Cell, ParsedTable, Table, TableFormat
from ohr.tables.parse import parse_tables
from ohr.tables.write import Loss, write_table

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
