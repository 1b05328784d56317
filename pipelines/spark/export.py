#!/usr/bin/env python3
"""Fetches the records of a file with Spark: one pagecat process and one output file a partition.

    spark-submit pipelines/spark/export.py --rate 100 pipelines/parallel/items.yaml ids.ndjson items --from items

What follows FOLDER goes to `pagecat run`. A task that Spark repeats resumes its part, or makes no request if the part is
complete. With another input or spec, a part that differs is fetched anew, and those that are left over are removed at the
end. Every worker must see SPEC and FOLDER under the same paths, and needs the wheel of pagecat, whose module this is.
"""
import argparse
import json
import os
import re
import tempfile
import time

import pagecat
from pyspark.sql import SparkSession

LOCKED = 75  # Exit code of pagecat: another run is writing this part.
PATIENCE = 600  # Seconds to wait for that run.
REFUSED = 2  # Exit code of pagecat: the part is that of another input or spec, if the message names --resume.


def remove(part):
    """Removes what another run has left of a part, so that the next one begins anew; returns whether there was anything."""
    left = [file for file in (part + ".pagecat-part", part + ".pagecat-journal") if os.path.exists(file)]
    for file in left:
        os.remove(file)
    return bool(left)


def tidy(folder, count):
    """Removes the parts of an earlier run that had more of them."""
    for file in os.listdir(folder):
        number = re.match(r"part-(\d+)\.ndjson(\.pagecat-part|\.pagecat-journal)?$", file)
        if number and int(number[1]) >= count:
            os.remove(os.path.join(folder, file))


def export(spec, folder, options):
    """Returns a function for mapPartitionsWithIndex. The function gives the summary of one part."""

    def run(index, lines):
        part = os.path.join(folder, f"part-{index:05d}.ndjson")
        deadline = time.monotonic() + PATIENCE
        with tempfile.TemporaryFile() as records:
            # pagecat reads a file: if this worker dies, a pipe would end early, and the part would look complete.
            records.writelines(line.encode() + b"\n" for line in lines)
            while True:
                records.seek(0)
                try:
                    yield pagecat.run(spec, *options, input=records, output=part, resume=True, once=True, label=index, quiet=True)
                    return
                except pagecat.Error as error:
                    if error.exit == REFUSED and "run without --resume" in error.messages and remove(part):
                        continue
                    if error.exit != LOCKED or time.monotonic() > deadline:
                        raise
                # The worker before this one is gone, but its pagecat still writes the part.
                time.sleep(1)

    return run


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("spec")
    parser.add_argument("input", help="NDJSON, one record a line")
    parser.add_argument("folder", help="where the parts are written")
    parser.add_argument("--partitions", type=int, default=8)
    parser.add_argument("--rate", type=float, help="requests a second of the whole job")
    parser.add_argument("options", nargs=argparse.REMAINDER, help="for 'pagecat run'")
    job = parser.parse_args()

    spark = SparkSession.builder.appName("pagecat").getOrCreate()
    options = job.options
    if job.rate:
        # As many tasks run at once as the executors have cores. Each of them gets its share.
        options += ["--rate", f"{job.rate / spark.sparkContext.defaultParallelism:.3f}/s"]
    os.makedirs(job.folder, exist_ok=True)
    lines = spark.sparkContext.textFile("file://" + os.path.abspath(job.input), job.partitions)
    parts = lines.mapPartitionsWithIndex(export(os.path.abspath(job.spec), os.path.abspath(job.folder), options))
    summaries = parts.collect()
    tidy(job.folder, parts.getNumPartitions())
    for summary in summaries:
        print(json.dumps({name: summary[name] for name in ("label", "verdict", "records", "requests")}))
    spark.stop()


main()
