"""The board: conditions of finished runs, ranked by what noise costs them."""
