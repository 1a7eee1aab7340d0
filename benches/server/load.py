"""200 clients at a time ask a server that speaks LibreTranslate's interface; see `run`. Needs nothing but Python."""

import argparse
import asyncio
import gzip
import json
import random
import subprocess
import time

# The sentence that is asked for alone.
SENTENCE = "Can you help me to find the way to the old town?"


def texts(sentences):
    """Requests of mixed sizes, no sentence of which comes twice: most have a sentence, some a paragraph, few a long text."""
    numbers, left, made = random.Random(1), list(sentences), []
    numbers.shuffle(left)
    while left:
        size = numbers.choices([1, 4, 40], [0.8, 0.17, 0.03])[0]
        paragraphs = [" ".join(left[at : at + 5]) for at in range(0, min(size, len(left)), 5)] if size == 40 else [" ".join(left[:size])]
        made.append("\n".join(paragraphs))
        del left[:size]
    return made


def read(path):
    """The lines of a file of sentences."""
    opened = gzip.open(path, "rt", encoding="utf-8") if str(path).endswith(".gz") else open(path, encoding="utf-8")
    with opened as lines:
        return [line.strip() for line in lines if line.strip()]


class Connection:
    """One connection that is kept."""

    def __init__(self, host, port):
        self.host, self.port, self.streams = host, port, None

    async def ask(self, text):
        if self.streams is None:
            self.streams = await asyncio.open_connection(self.host, self.port)
        reader, writer = self.streams
        body = json.dumps({"q": text, "source": "en", "target": "de"}).encode()
        head = f"POST /translate HTTP/1.1\r\nHost: {self.host}\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
        writer.write(head.encode() + body)
        await writer.drain()
        status = int((await reader.readline()).split()[1])
        length, closes = 0, False
        while (line := await reader.readline()).strip():
            name, _, value = line.decode().partition(":")
            if name.lower() == "content-length":
                length = int(value)
            closes |= name.lower() == "connection" and value.strip().lower() == "close"
        answer = await reader.readexactly(length)
        if closes:
            writer.close()
            self.streams = None
        return status, answer


def memory(pid):
    """Resident memory of a process and its children in megabytes."""
    if not pid:
        return None
    with open(f"/proc/{pid}/status") as status:
        own = next(int(line.split()[1]) for line in status if line.startswith("VmRSS"))
    children = subprocess.run(["pgrep", "-P", str(pid)], capture_output=True, text=True).stdout.split()
    return own / 1024 + sum(memory(int(child)) for child in children)


def share(times, part):
    return round(1000 * sorted(times)[min(len(times) - 1, int(part * len(times)))], 2)


async def measure(arguments):
    host, port = arguments.address.split("//")[1].split(":")
    port = int(port.rstrip("/"))
    all_texts = texts(read(arguments.text))
    alone = Connection(host, port)
    expected = {}
    for text in all_texts:
        status, answer = await alone.ask(text)
        assert status == 200, answer
        expected[text] = answer
    single, line = [], arguments.program and Line(arguments)
    for _ in range(300):
        # LibreTranslate remembers the paragraphs of the last request.
        await alone.ask("Good morning!")
        begun = time.perf_counter()
        await alone.ask(SENTENCE)
        single.append(time.perf_counter() - begun)
        line and line.ask(SENTENCE)

    times, words, failures, differing = [], 0, 0, 0
    before = memory(arguments.pid)
    end = time.monotonic() + arguments.seconds

    async def client(number):
        nonlocal words, failures, differing
        connection, numbers = Connection(host, port), random.Random(number)
        while time.monotonic() < end:
            text = numbers.choice(all_texts)
            begun = time.perf_counter()
            try:
                status, answer = await connection.ask(text)
            except (OSError, asyncio.IncompleteReadError, ValueError, IndexError):
                connection.streams, status, answer = None, 0, b""
            times.append(time.perf_counter() - begun)
            failures += status != 200
            differing += status == 200 and answer != expected[text]
            words += len(text.split()) if status == 200 else 0

    begun = time.monotonic()
    await asyncio.gather(*(client(number) for number in range(arguments.clients)))
    seconds = time.monotonic() - begun
    result = {
        "server": arguments.name,
        "model": arguments.model,
        "precision": arguments.precision,
        "clients": arguments.clients,
        "seconds": round(seconds, 1),
        "texts": len(all_texts),
        "requests": len(times),
        "errors": failures,
        "answers_that_differ_from_alone": differing,
        "source_words_per_second": round(words / seconds, 1),
        "milliseconds": {"p50": share(times, 0.5), "p95": share(times, 0.95), "p99": share(times, 0.99)},
        "one_sentence_alone_milliseconds": {"p50": share(single, 0.5), "p99": share(single, 0.99)},
        "memory_megabytes": {"before": before and round(before, 1), "after": before and round(memory(arguments.pid), 1)},
    }
    if line:
        result["command_line_one_sentence_milliseconds"] = {"p50": share(line.times, 0.5), "p99": share(line.times, 0.99)}
    print(json.dumps(result, indent=1))


class Line:
    """The same sentence through the command line, which answers each line as it comes."""

    def __init__(self, arguments):
        options = ["translate", "-m", arguments.model_path, "--batch-tokens", "1", "--precision", arguments.precision]
        self.process = subprocess.Popen([arguments.program, *options], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.times = []
        self.ask(SENTENCE)
        self.times.clear()

    def ask(self, sentence):
        begun = time.perf_counter()
        self.process.stdin.write(sentence.encode() + b"\n")
        self.process.stdin.flush()
        self.process.stdout.readline()
        self.times.append(time.perf_counter() - begun)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("address")
    parser.add_argument("--seconds", type=float, default=300)
    parser.add_argument("--text", default="../shared/data/tatoeba-de-en/test.en.gz", help="a sentence on each line")
    parser.add_argument("--clients", type=int, default=200)
    parser.add_argument("--pid", type=int)
    parser.add_argument("--program")
    parser.add_argument("--model", default="en-de")
    parser.add_argument("--model-path", default="en-de")
    parser.add_argument("--precision", default="f32")
    parser.add_argument("--name", default="metaphrase")
    asyncio.run(measure(parser.parse_args()))
