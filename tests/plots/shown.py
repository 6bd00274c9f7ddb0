"""What a chart shows, from its specification: all data in it, and whether it can be rendered."""

from typing import Any


def rows(chart: Any) -> list[list[dict[str, Any]]]:
    """Return the lines of each data source, in the order in which they stand in the picture."""
    found: list[list[dict[str, Any]]] = []
    spec = chart.to_dict()
    _collect(spec, spec.get("datasets", {}), found)
    return found


def holding(chart: Any, *fields: str) -> list[dict[str, Any]]:
    """Return the lines that have these fields, of all sources together."""
    return [line for lines in rows(chart) for line in lines if set(fields) <= set(line)]


def titles(chart: Any) -> set[str]:
    """Return the titles of all axes."""
    found: set[str] = set()
    _titles(chart.to_dict(), found)
    return found


def _collect(node: Any, named: dict[str, Any], found: list[list[dict[str, Any]]]) -> None:
    if isinstance(node, dict):
        data = node.get("data")
        if isinstance(data, dict):
            found.append(data["values"] if "values" in data else named[data["name"]])
        for key, child in node.items():
            if key not in ("data", "datasets"):
                _collect(child, named, found)
    elif isinstance(node, list):
        for child in node:
            _collect(child, named, found)


def _titles(node: Any, found: set[str]) -> None:
    if isinstance(node, dict):
        encoding = node.get("encoding", {})
        found |= {encoding[axis].get("title", "") for axis in ("x", "y") if "title" in encoding.get(axis, {})} - {None}
        for child in node.values():
            _titles(child, found)
    elif isinstance(node, list):
        for child in node:
            _titles(child, found)
