"""Random schemas of several resources, and a plain evaluator that passes the dynamic scope along as a list."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

__all__ = ["BASE", "Endless", "judge", "many_resources", "values"]

BASE = "http://oracle.test/"
NAMES = ["x", "y"]
RESOURCES = ["", "r1", "r2", "far"]
TYPES = ["integer", "string", "boolean"]

_leaves = st.sampled_from([1, "a", True])
_inner = st.dictionaries(st.sampled_from(["p", "q"]), _leaves, min_size=1)
values = st.dictionaries(st.sampled_from(["p", "q"]), st.one_of(_leaves, _inner, _inner), min_size=1)


class Endless(Exception):
    """References lead in a circle."""


@st.composite
def many_resources(draw: st.DrawFn, draft: int) -> tuple[dict[str, Any], dict[str, Any]]:
    """A schema with two embedded resources, and a registry with one more."""

    def reference() -> dict[str, Any]:
        where = draw(st.sampled_from(RESOURCES))
        if draft == 2019:
            plain = draw(st.sampled_from([where or "#", where + "#/$defs/0"]))
            return draw(st.sampled_from([{"$recursiveRef": "#"}, {"$ref": plain}]))
        # Mostly references that make dynamic scopes: one leads into another resource, and a dynamic one leads on.
        name = draw(st.sampled_from(NAMES))
        usual = [{"$ref": where or "r1"}, {"$dynamicRef": f"#{name}"}]
        others = [{"$dynamicRef": f"{where}#{name}"}, {"$ref": f"{where}#{name}"}, {"$dynamicRef": f"{where}#/$defs/0"}]
        return draw(st.sampled_from([*usual, *usual, *others]))

    def leaf() -> dict[str, Any]:
        return {"type": draw(st.sampled_from(TYPES))}

    def small() -> dict[str, Any]:
        keys = draw(st.sampled_from([["p"], ["q"], ["p", "q"]]))
        found: dict[str, Any] = {"properties": {key: reference() for key in keys}}
        more = draw(st.integers(0, 7))
        if more == 0:
            found["anyOf"] = [reference(), leaf()]
        elif more == 1:
            found.update(reference())
        elif more == 2:
            found["type"] = "object"
        return found

    def resource(name: str) -> dict[str, Any]:
        root = {"$id": BASE + name if name in ("", "far") else name, **small()}
        inner = [draw(st.sampled_from([leaf, leaf, small]))() for _ in NAMES]
        if draft == 2019:
            root["type"] = ["object", draw(st.sampled_from(TYPES))]
            root["$recursiveAnchor"] = draw(st.booleans())
        else:
            # Both names are given, so that every reference has a target.
            for one, anchor in zip(inner, draw(st.permutations(NAMES)), strict=True):
                one[draw(st.sampled_from(["$anchor", "$dynamicAnchor", "$dynamicAnchor"]))] = anchor
        root["$defs"] = {str(index): one for index, one in enumerate(inner)}
        return root

    year = {2019: "2019-09", 2020: "2020-12"}[draft]
    schema = {"$schema": f"https://json-schema.org/draft/{year}/schema", **resource("")}
    schema["$defs"].update({name: resource(name) for name in ("r1", "r2")})
    return schema, {BASE + "far": resource("far")}


def judge(schema: dict[str, Any], registry: dict[str, Any], value: Any) -> bool:
    """Whether the value obeys the schema."""
    roots = {"": schema, "far": registry[BASE + "far"], "r1": schema["$defs"]["r1"], "r2": schema["$defs"]["r2"]}
    return _obeys(roots, schema, [""], value, 0)


def _obeys(roots: dict[str, Any], schema: dict[str, Any], scope: list[str], value: Any, depth: int) -> bool:
    """Whether a value inside obeys a subschema. `scope` has the names of the resources that were entered, the outermost
    first. `depth` counts the steps that stay at this value.
    """
    if depth > 60:
        raise Endless
    kind = {int: "integer", str: "string", bool: "boolean", dict: "object"}[type(value)]
    results = ["type" not in schema or kind in schema["type"]]
    if isinstance(value, dict):
        results += [
            _obeys(roots, inner, scope, value[key], 0)
            for key, inner in schema.get("properties", {}).items()
            if key in value
        ]
    if "anyOf" in schema:
        results.append(any([_obeys(roots, one, scope, value, depth + 1) for one in schema["anyOf"]]))
    for word in ("$ref", "$dynamicRef", "$recursiveRef"):
        if word in schema:
            name, target = _target(roots, word, schema[word], scope)
            results.append(_obeys(roots, target, [*scope, name], value, depth + 1))
    return all(results)


def _target(roots: dict[str, Any], word: str, ref: str, scope: list[str]) -> tuple[str, dict[str, Any]]:
    where, _, fragment = ref.partition("#")
    name = where or scope[-1]
    if fragment.startswith("/"):
        return name, roots[name]["$defs"][fragment[-1]]
    if word == "$recursiveRef":
        if roots[name].get("$recursiveAnchor"):
            name = next(one for one in scope if roots[one].get("$recursiveAnchor"))
        return name, roots[name]
    if not fragment:
        return name, roots[name]
    anchored, is_dynamic = _anchor(roots[name], fragment)
    if word == "$dynamicRef" and is_dynamic:
        for outer in scope:
            found, dynamic_too = _anchor(roots[outer], fragment)
            if dynamic_too:
                return outer, found
    return name, anchored


def _anchor(root: dict[str, Any], name: str) -> tuple[dict[str, Any], bool]:
    """The subschema of a name, and whether its name is a dynamic one."""
    for key in ("0", "1"):
        one = root["$defs"][key]
        if name in (one.get("$anchor"), one.get("$dynamicAnchor")):
            return one, "$dynamicAnchor" in one
    raise KeyError(name)
