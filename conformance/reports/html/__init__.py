"""Reports as one HTML page: everything inside, nothing fetched, readable without JavaScript."""

from conformance.reports.html.documents import load_documents
from conformance.reports.html.page import page_text

__all__ = ["load_documents", "page_text"]
