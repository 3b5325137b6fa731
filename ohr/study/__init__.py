"""The study: configuration, plan, pages, scoring, cells, results."""
