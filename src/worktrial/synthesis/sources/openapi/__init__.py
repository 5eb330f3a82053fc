"""Descriptions of interfaces in OpenAPI 3: their operations become tools."""

from worktrial.synthesis.sources.openapi.read import Described, read_openapi

__all__ = ["Described", "read_openapi"]
