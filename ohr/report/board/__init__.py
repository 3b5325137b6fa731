"""The board as a web page: one table per metric, of conditions ranked by mean noise cost."""
