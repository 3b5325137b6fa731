"""Tables in LaTeX, HTML and Markdown: found where they stand, read, written and converted."""

from ohr.tables.model import Cell, ParsedTable, Table, TableFormat
from ohr.tables.parse import parse_tables

__all__ = ["Cell", "ParsedTable", "Table", "TableFormat", "parse_tables"]
