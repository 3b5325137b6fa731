"""A dataset from one JSON file of pages and questions."""

import json

from ohr import DatasetError, Document, Page, PageRef, Question
from ohr.collection import Dataset
from ohr.plugins.dataset import DatasetSource


class Notes(DatasetSource):
    """``dataset.path`` is the file; ``my_dataset.json`` is an example."""

    name = "notes"
    version = "1"

    def load(self) -> Dataset:
        if self.params.path is None:
            raise DatasetError("give the file: dataset.path=my_dataset.json")
        content = json.loads(self.params.path.read_text("utf-8"))
        documents = [
            Document(doc_id, doc_id.partition("/")[0], self._pages(doc_id, texts))
            for doc_id, texts in content["documents"].items()
        ]
        questions = [self._question(str(i), row) for i, row in enumerate(content["questions"])]
        return Dataset(documents, questions, kind=self.name)

    def _pages(self, doc_id: str, texts: list[str]) -> list[Page]:
        return [Page(PageRef(doc_id, number), text) for number, text in enumerate(texts)]

    def _question(self, qid: str, row: dict[str, str | int]) -> Question:
        doc_id, page = str(row["document"]), int(row["page"])
        return Question(
            qid=qid,
            text=str(row["question"]),
            answers=(str(row["answer"]),),
            doc_id=doc_id,
            domain=doc_id.partition("/")[0],
            evidence_pages=(PageRef(doc_id, page),),
            evidence_text=str(row["evidence"]),
            evidence_source="text",
        )
