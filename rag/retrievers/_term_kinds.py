"""The kinds of index terms, as an option names them: apart from :mod:`rag.retrievers.terms`, whose
stop words and stems take a second to import.
"""

from typing import Literal

Terms = Literal["english", "english_unstemmed", "german", "chinese", "ngrams"]
