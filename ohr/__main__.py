"""``python -m ohr`` is the app ``ohr``."""

from importlib import import_module

if __name__ == "__main__":
    # The commands are a package above this one.
    import_module("experiments.__main__").main()
