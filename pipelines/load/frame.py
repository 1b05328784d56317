#!/usr/bin/env python3
"""Reads an export with polars, and writes Parquet: load/frame.py SPEC RECORDS.ndjson OUT.parquet

The spec's model gives the columns, so that no records is a file with columns and no rows. Integers are decimals of 38
digits; numbers are doubles; members of any type are JSON texts.
"""
import decimal
import json
import subprocess
import sys

import polars

TYPES = {
    "string": (polars.String, str), "integer": (polars.Decimal(38, 0), decimal.Decimal), "number": (polars.Float64, float),
    "boolean": (polars.Boolean, bool)}


def dtype(schema):
    """The column's type, and a function that makes its values."""
    kind = schema.get("type")
    if isinstance(kind, list):  # with "null", where the model has a '?'
        kind = next(one for one in kind if one != "null")
    if kind == "array":
        inner, make = dtype(schema["items"])
        return polars.List(inner), lambda values: [each(make, value) for value in values]
    if kind == "object" and schema["properties"]:
        members = {name: dtype(member) for name, member in schema["properties"].items()}
        return (polars.Struct({name: inner for name, (inner, _) in members.items()}),
                lambda value: {name: each(make, value.get(name)) for name, (_, make) in members.items()})
    if kind in TYPES:
        return TYPES[kind]
    return polars.String, json.dumps


def each(make, value):
    return None if value is None else make(value)


def main(spec, records, out):
    schema = json.loads(subprocess.run(["pagecat", "schema", spec], check=True, capture_output=True).stdout)
    columns = {name: dtype(member) for name, member in schema["properties"].items()}
    with open(records, encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines]
    frame = polars.DataFrame(
        {name: polars.Series(name, [each(make, row.get(name)) for row in rows], dtype=inner, strict=True)
         for name, (inner, make) in columns.items()})
    frame.write_parquet(out)


if __name__ == "__main__":
    main(*sys.argv[1:])
