"""A browser for the viewer's pages."""

from tests.reports.conftest import chromium as chromium
