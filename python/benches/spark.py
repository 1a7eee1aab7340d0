"""A large job of Spark beside the command line: exactly-once under faults, bytes, throughput; prints JSON.

    python python/benches/spark.py TEXT [--lines 200000] [--master local-cluster[2,1,2048]] [--kill 3] [--model en-de]

TEXT is repeated until there are enough lines. `--kill SECONDS` kills a process of an executor (with `local-cluster` the executor's Java
process, with `local` a Python worker) that long after the job began. Each line must be there once, and all of them must be what `metaphrase
translate` prints. Throughput is that of the job without a fault, less the time until its first task starts, beside the command
line's on as many threads.
"""

import argparse
import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path


def processes():
    """The processes under this one, with their command lines."""
    parents, commands = {}, {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                parents[int(entry.name)] = int((entry / "stat").read_text().rsplit(")", 1)[1].split()[1])
                commands[int(entry.name)] = (entry / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
            except (OSError, ValueError):
                continue
    ours, before = {os.getpid()}, 0
    while len(ours) > before:
        before = len(ours)
        ours |= {process for process, parent in parents.items() if parent in ours}
    return {process: commands[process] for process in ours if process in commands and process != os.getpid()}


def kill_later(seconds, is_cluster, killed):
    time.sleep(seconds)
    mark = "CoarseGrainedExecutorBackend" if is_cluster else "pyspark.daemon"
    found = [process for process, command in processes().items() if mark in command]
    if not is_cluster:
        # The last one is a worker, the first one the daemon that forks workers.
        found = sorted(found)[1:]
    if found:
        os.kill(found[-1], signal.SIGKILL)
        killed.append(found[-1])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("text")
    parser.add_argument("--lines", type=int, default=200_000)
    parser.add_argument("--master", default="local-cluster[2,1,2048]")
    parser.add_argument("--cores", type=int, default=2)
    parser.add_argument("--partitions", type=int, default=16)
    parser.add_argument("--kill", type=float)
    parser.add_argument("--model", default="en-de")
    args = parser.parse_args()

    import pyspark
    from pyspark.sql import SparkSession

    from metaphrase.spark import translate

    source = Path(args.text).read_text(encoding="utf-8").splitlines()
    lines = [f"{source[number % len(source)]}" for number in range(args.lines)]
    began = time.perf_counter()
    command = [sys.executable, "-m", "metaphrase", "translate", "-m", args.model, "--threads", str(args.cores)]
    text = "".join(f"{line}\n" for line in lines)
    expected = subprocess.run(command, input=text, stdout=subprocess.PIPE, encoding="utf-8", check=True).stdout.splitlines()
    program_seconds = time.perf_counter() - began

    os.environ["PYSPARK_PYTHON"] = sys.executable
    os.environ.setdefault("SPARK_HOME", str(Path(pyspark.__file__).parent))
    with tempfile.TemporaryDirectory() as folder:
        builder = SparkSession.builder.master(args.master).config("spark.ui.enabled", "false")
        builder = builder.config("spark.executorEnv.PYTHONPATH", os.pathsep.join(filter(None, sys.path)))
        spark = builder.config("spark.executor.memory", "1g").getOrCreate()
        spark.sparkContext.setLogLevel("ERROR")
        rows = spark.createDataFrame(list(enumerate(lines)), "number long, text string").repartition(args.partitions)
        rows.write.parquet(f"{folder}/in")
        killed = []
        if args.kill:
            is_cluster = args.master.startswith("local-cluster")
            threading.Thread(target=kill_later, args=(args.kill, is_cluster, killed), daemon=True).start()
        began = time.perf_counter()
        translate(spark.read.parquet(f"{folder}/in"), "text", model=args.model).write.parquet(f"{folder}/out")
        seconds = time.perf_counter() - began
        found = spark.read.parquet(f"{folder}/out").select("number", "translation").collect()
        spark.stop()
    by_number = {row["number"]: row["translation"] for row in found}
    report = {
        "lines": len(lines),
        "master": args.master,
        "processes killed": len(killed),
        "each line once": len(found) == len(lines) == len(by_number),
        "equal to the command line": [by_number.get(number) for number in range(len(lines))] == expected,
        "seconds of the job": round(seconds, 2),
        "seconds of the command line": round(program_seconds, 2),
        "throughput beside the command line": round(program_seconds / seconds, 3),
    }
    print(json.dumps(report, indent=2))
    sys.exit(not (report["each line once"] and report["equal to the command line"]))


if __name__ == "__main__":
    main()
