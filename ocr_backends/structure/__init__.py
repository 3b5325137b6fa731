"""What ``structured`` is made of: regions, tables and headings of a page from its words."""
