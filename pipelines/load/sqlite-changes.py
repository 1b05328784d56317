#!/usr/bin/env python3
"""Applies --changes to a table that load/sqlite made: load/sqlite-changes.py CHANGES.ndjson DATABASE TABLE KEY

All changes are applied, or none. The first changes make the table, if there is none.
"""
import json
import sys

import sqlite_utils

changes, path, name, key = sys.argv[1:]
database = sqlite_utils.Database(path)
table = database[name]
with open(changes, encoding="utf-8") as lines, database.atomic():
    for line in lines:
        change = json.loads(line)
        record = change["record"]
        if table.exists():
            table.delete_where(f"[{key}] = ?", [record[key]])
        if change["change"] != "removed":
            table.insert(record, alter=True)
