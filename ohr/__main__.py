"""``python -m ohr`` is the app ``ohr``."""

from importlib import import_module

from ohr.working_folder import put_folder_last

if __name__ == "__main__":
    put_folder_last()
    # The commands are a package above this one.
    import_module("experiments.__main__").main()
