"""A large job of Spark compared with the command line: exactly-once under faults, bytes, throughput; prints JSON.

    python python/benches/spark.py TEXT [--lines 200000] [--master local-cluster[2,1,2048]] [--kill 30] [--resume 40] [--warm] [--turns 5] [--task-cpus 2]

The lines of TEXT are repeated until there are enough. `--kill SECONDS` kills a process that works for the job that long after the job began,
and once more after as long: with `local-cluster` the Java process of an executor, with `local` a Python worker (`local[2,8]`: Spark
tries no task again with `local[2]`). `--resume SECONDS` runs the job as a stream with `availableNow`, kills all of it (Java and Python) that
long after its start, and starts it again. Each line must be there once, and all of them must be what `metaphrase translate` prints.
Throughput is that of the job beside the command line's on as many threads. The time of the job is from its first action to its last file; Spark
itself runs already. The start of its Python processes and the loading of models are in this time, but with `--warm`: then a job of 200 lines ran before.
"""

import argparse
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

import corpus

SCHEMA = "number long, text string"


def session(args):
    import pyspark
    from pyspark.sql import SparkSession

    os.environ["PYSPARK_PYTHON"] = sys.executable
    os.environ.setdefault("SPARK_HOME", str(Path(pyspark.__file__).parent))
    builder = SparkSession.builder.master(args.master).config("spark.ui.enabled", "false")
    builder = builder.config("spark.executorEnv.PYTHONPATH", os.pathsep.join(filter(None, sys.path)))
    builder = builder.config("spark.task.maxFailures", "8").config("spark.sql.shuffle.partitions", str(args.partitions))
    # Each file of the input is a task.
    builder = builder.config("spark.sql.files.maxPartitionBytes", "1m").config("spark.sql.files.openCostInBytes", "1m")
    # Reduces the time for which Java compiles in each session from about 3 to 1 seconds of processor time.
    for part in ("driver", "executor"):
        builder = builder.config(f"spark.{part}.extraJavaOptions", "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC")
    builder = builder.config("spark.task.cpus", str(args.task_cpus))
    spark = builder.config("spark.executor.memory", "1g").getOrCreate()
    spark.sparkContext.setLogLevel("ERROR")
    return spark


def write_input(spark, lines, folder, partitions):
    rows = spark.createDataFrame(list(enumerate(lines)), SCHEMA).repartition(partitions)
    rows.write.parquet(folder)


def kill_often(seconds, is_cluster, killed, ended):
    """Kills two processes."""
    mark = "CoarseGrainedExecutorBackend" if is_cluster else "pyspark.daemon"
    for _ in range(2):
        if ended.wait(seconds):
            return
        found = sorted(process for process, command in corpus.processes().items() if mark in command)
        if not is_cluster:
            # The first one is the daemon that forks workers.
            found = found[1:]
        if found:
            os.kill(found[-1], signal.SIGKILL)
            killed.append(found[-1])


def first_job(args, spark, folder):
    """Runs a job of 200 lines, which starts the processes and loads the models; returns its seconds."""
    from metaphrase.spark import translate

    began = time.perf_counter()
    few = spark.read.parquet(f"{folder}/in").limit(200).repartition(args.cores)
    translate(few, "text", model=args.model, **corpus.options(args)).write.parquet(f"{folder}/warm")
    return round(time.perf_counter() - began, 2)


def batch(args, spark, source, target):
    """Runs a batch job; returns its seconds and the number of processes that were killed."""
    from metaphrase.spark import translate

    killed, ended = [], threading.Event()
    if args.kill:
        kills = (args.kill, args.master.startswith("local-cluster"), killed, ended)
        threading.Thread(target=kill_often, args=kills, daemon=True).start()
    began = time.perf_counter()
    found = translate(spark.read.parquet(source), "text", model=args.model, **corpus.options(args))
    found.select("number", "translation").write.parquet(target)
    ended.set()
    return time.perf_counter() - began, len(killed)


def stream(args, folder):
    """Runs the job as a stream, in a process that may be killed; `--work` calls this."""
    from metaphrase.spark import translate

    spark = session(args)
    source = spark.readStream.schema(SCHEMA).option("maxFilesPerTrigger", 2).parquet(f"{folder}/in")
    found = translate(source, "text", model=args.model, **corpus.options(args)).select("number", "translation")
    sink = found.writeStream.format("parquet").option("path", f"{folder}/out").option("checkpointLocation", f"{folder}/checkpoint")
    sink.trigger(availableNow=True).start().awaitTermination()
    spark.stop()


def resumed(args, folder):
    """Starts the stream, kills it with all its processes, and starts it again."""
    command = [sys.executable, *sys.argv, "--work", folder]
    began = time.perf_counter()
    first = subprocess.Popen(command, start_new_session=True)
    deadline = began + 600
    written = lambda: len(list(Path(f"{folder}/out").glob("*.parquet")))
    try:
        first.wait(args.resume)
    except subprocess.TimeoutExpired:
        # Wait until it has written a part of the output.
        while written() == 0 and time.perf_counter() < deadline and first.poll() is None:
            time.sleep(0.2)
    at_once = list(corpus.processes(first.pid)) + [first.pid]
    files = written()
    still = first.poll() is None
    for process in at_once:
        try:
            os.kill(process, signal.SIGKILL)
        except ProcessLookupError:
            pass
    first.wait()
    subprocess.run(command, check=True)
    return time.perf_counter() - began, len(at_once) if still else 0, files


def main():
    parser = argparse.ArgumentParser()
    corpus.arguments(parser)
    parser.add_argument("--master", default="local-cluster[2,1,2048]")
    parser.add_argument("--partitions", type=int, default=16)
    parser.add_argument("--warm", action="store_true", help="run a job of 200 lines first: its processes go on and have the model")
    parser.add_argument("--resume", type=float, metavar="SECONDS")
    parser.add_argument("--work", help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.work:
        return stream(args, args.work)
    if args.resume and args.turns > 1:
        parser.error("--resume kills the job once: it does not go with --turns")
    lines = corpus.read_lines(args)
    more = {"master": args.master, "tasks": args.partitions, "cores of a task": args.task_cpus, "processes and models were there": args.warm}
    name = "Spark, a stream killed and started again" if args.resume else "Spark"
    with tempfile.TemporaryDirectory() as folder:
        spark = session(args)
        write_input(spark, lines, f"{folder}/in", args.partitions)
        if args.resume:
            spark.stop()
        elif args.warm:
            more["seconds of a first job of 200 lines"] = first_job(args, spark, folder)

        def job(turn):
            out = f"{folder}/out{turn}"
            if args.resume:
                seconds, killed, more["files before the job was killed"] = resumed(args, folder)
                out, now = f"{folder}/out", session(args)
            else:
                seconds, killed = batch(args, spark, f"{folder}/in", out)
                now = spark
            return [(row["number"], row["translation"]) for row in now.read.parquet(out).collect()], seconds, killed

        corpus.compare(args, name, lines, job, more)


if __name__ == "__main__":
    main()
