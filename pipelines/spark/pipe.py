#!/usr/bin/env python3
"""Fetches the records of a file with Spark's own `pipe`, and writes them as Parquet.

    spark-submit pipelines/spark/pipe.py --schema 'id BIGINT, name STRING, price DECIMAL(10,2), big DECIMAL(38,0)' \\
      pipelines/parallel/items.yaml ids.ndjson items.parquet --from items

The shortest way where no shared folder is at hand. A task that Spark repeats fetches its whole partition again; see
export.py for tasks that resume. Without a schema Spark would run the pipe twice: once to infer the types, once to read.
"""
import argparse
import os
import shlex

from pyspark.sql import SparkSession

PAGECAT = os.environ.get("PAGECAT", "pagecat")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("spec")
    parser.add_argument("input", help="NDJSON, one record a line")
    parser.add_argument("output", help="folder for Parquet files")
    parser.add_argument("--schema", help="names and types of the columns")
    parser.add_argument("--partitions", type=int, default=8)
    parser.add_argument("options", nargs=argparse.REMAINDER, help="for 'pagecat run'")
    job = parser.parse_args()

    spark = SparkSession.builder.appName("pagecat").getOrCreate()
    lines = spark.sparkContext.textFile("file://" + os.path.abspath(job.input), job.partitions)
    # checkCode=True: a failed run fails the task. Without it, Spark would take its records for all.
    fetched = lines.pipe(shlex.join([PAGECAT, "run", os.path.abspath(job.spec), "-q", *job.options]), checkCode=True)
    # Each action runs the pipe. This job has one: the write.
    records = spark.read.json(fetched, schema=job.schema)
    records.write.parquet("file://" + os.path.abspath(job.output), mode="overwrite")
    spark.stop()


main()
