"""A large job of Ray Data compared with the command line: exactly-once under faults, bytes, throughput; prints JSON.

    python python/benches/ray_job.py TEXT [--lines 200000] [--task-cpus 2] [--kill 20] [--lose-calls]

`--kill SECONDS` kills an actor that long after the job began, and once more after as long. `--lose-calls` is Ray's own fault
injection: it loses calls between its processes, before and behind the work. Each line must be there once, and all of them must be what
`metaphrase translate` prints. The time of the job has the start of the actors in it; Ray itself runs already. The time of a
job of 200 lines before it, which is little but that start, stands beside it.
"""

import argparse
import os
import signal
import sys
import tempfile
import threading
import time

import corpus

#: The most calls that Ray loses, and the chances in per cent that it loses one before and after the call.
LOSSES = '{"CoreWorkerService.grpc_client.PushTask": {"num_failures": 20, "req_failure_prob": 10, "resp_failure_prob": 10}}'


def kill_often(seconds, killed, ended):
    """Kills two processes."""
    for _ in range(2):
        if ended.wait(seconds):
            return
        found = [process for process, command in corpus.processes(1).items() if "MapWorker" in command and "ray::" in command]
        if found:
            os.kill(sorted(found)[-1], signal.SIGKILL)
            killed.append(found[-1])


def main():
    parser = argparse.ArgumentParser()
    corpus.arguments(parser)
    parser.add_argument("--batch-size", type=int, default=4096)
    parser.add_argument("--lose-calls", action="store_true")
    args = parser.parse_args()
    lines = corpus.read_lines(args)
    if args.lose_calls:
        os.environ["RAY_testing_rpc_failure"] = LOSSES
    import pyarrow as pa
    import pyarrow.parquet as pq
    import ray

    from metaphrase.arrow import TranslateColumn

    # One more processor for the tasks that read and write; the actors take the others.
    ray.init(num_cpus=args.cores + 1, include_dashboard=False, log_to_driver=False)
    ray.data.DataContext.get_current().enable_progress_bars = False
    name = "Ray Data, with lost calls" if args.lose_calls else "Ray Data"
    with tempfile.TemporaryDirectory() as folder:
        for part, of in [("few", lines[:200]), ("in", lines)]:
            table = pa.table({"number": range(len(of)), "text": of})
            pq.write_table(table, f"{folder}/{part}.parquet", row_group_size=args.batch_size)

        def translate(part, to):
            began = time.perf_counter()
            found = ray.data.read_parquet(f"{folder}/{part}.parquet", override_num_blocks=4 * args.cores).map_batches(
                TranslateColumn,
                fn_constructor_args=("text",),
                fn_constructor_kwargs={"model": args.model, **corpus.options(args)},
                batch_format="pyarrow",
                batch_size=args.batch_size,
                compute=ray.data.ActorPoolStrategy(size=args.cores // args.task_cpus),
                num_cpus=args.task_cpus,
                max_restarts=-1,
                max_task_retries=-1,
            )
            found.select_columns(["number", "translation"]).write_parquet(f"{folder}/{to}")
            return time.perf_counter() - began

        def job(turn):
            killed, ended = [], threading.Event()
            if args.kill:
                threading.Thread(target=kill_often, args=(args.kill, killed, ended), daemon=True).start()
            seconds = translate("in", f"out{turn}")
            ended.set()
            rows = pq.read_table(f"{folder}/out{turn}").to_pylist()
            return [(row["number"], row["translation"]) for row in rows], seconds, len(killed)

        start = {"cores of an actor": args.task_cpus, "seconds of a job of 200 lines": round(translate("few", "start"), 2)}
        corpus.compare(args, name, lines, job, start)


if __name__ == "__main__":
    main()
