#!/usr/bin/env python3
"""Reads the parts that export.py wrote, and writes them as Parquet. Fetches nothing.

    spark-submit pipelines/spark/load.py --schema 'id BIGINT, name STRING, price DECIMAL(10,2), big DECIMAL(38,0)' \\
      items items.parquet

With a schema, Spark reads the parts once and keeps big numbers exact. Without one, it reads them twice, and takes
integers over 64 bits as it likes. FAILFAST ends the job at a record that does not fit the schema; Spark's default is null.
"""
import argparse
import os

from pyspark.sql import SparkSession


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", help="folder with part-*.ndjson")
    parser.add_argument("output", help="folder for Parquet files")
    parser.add_argument("--schema", required=True, help="names and types of the columns")
    job = parser.parse_args()

    spark = SparkSession.builder.appName("load").getOrCreate()
    parts = "file://" + os.path.abspath(job.folder) + "/part-*.ndjson"
    records = spark.read.schema(job.schema).json(parts, mode="FAILFAST")
    records.write.parquet("file://" + os.path.abspath(job.output), mode="overwrite")
    spark.stop()


main()
