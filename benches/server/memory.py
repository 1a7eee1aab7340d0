"""Memory of a server over a long run: `python3 benches/server/memory.py PROGRAM MINUTES [RATE]`.

RATE requests a second (default 4) of mixed sizes, each of them different: texts, HTML with terms, lists, files, glossaries that come and
go, clients that leave. Prints the resident memory by minute as JSON. Needs nothing but Python. While a command named in PAUSE fails, no
request is sent.
"""

import http.client
import json
import os
import random
import subprocess
import sys
import time

from faults import Server, upload
from load import memory, read, texts


def work(server, numbers, all_texts, number):
    """One request; gives its status."""
    text = numbers.choice(all_texts).replace("house", f"house {numbers.randrange(10**6)}")
    match number % 8:
        case 0:
            html = "".join(f"<p>{line} <b>{numbers.random()}</b></p>" for line in text.split("\n"))
            body = {"text": html, "source": "en", "target": "de", "format": "html", "terms": [{"source": "house", "target": ["Gebäude"]}], "scores": True}
            return server.ask("POST", "/api/v1/translate", body)[0]
        case 1:
            return server.ask("POST", "/translate", {"q": text.split("\n"), "source": "auto", "target": "de", "alternatives": 2})[0]
        case 2:
            body = {"name": "g", "source": "en", "target": "de", "tsv": "".join(f"word{n}\twort{n}\n" for n in range(300))}
            status, answer = server.ask("POST", "/api/v1/glossaries", body)
            return status if status != 201 else server.ask("DELETE", f"/api/v1/glossaries/{json.loads(answer)['id']}")[0]
        case 3:
            # The client leaves.
            connection = http.client.HTTPConnection(server.host, server.port, timeout=30)
            connection.request("POST", "/translate", json.dumps({"q": text, "source": "en", "target": "de"}), {"Content-Type": "application/json"})
            connection.close()
            return 200
        case 4 if number % 64 == 4:
            body = upload("a.txt", text.encode())
            return server.ask("POST", "/translate_file", body, {"Content-Type": "multipart/form-data; boundary=x"})[0]
        case _:
            return server.ask("POST", "/translate", {"q": text, "source": "en", "target": "de"})[0]


def main():
    program, minutes = sys.argv[1], float(sys.argv[2])
    rate = float(sys.argv[3]) if len(sys.argv) > 3 else 4
    server, numbers, all_texts = Server(program), random.Random(3), texts(read("../shared/data/tatoeba-de-en/test.en.gz"))
    begun, number, statuses, by_minute = time.monotonic(), 0, {}, []
    while (passed := time.monotonic() - begun) < 60 * minutes:
        if passed >= 60 * len(by_minute):
            by_minute.append(round(memory(server.process.pid), 1))
        time.sleep(numbers.expovariate(rate))
        if "PAUSE" in os.environ and subprocess.run(os.environ["PAUSE"], shell=True).returncode:
            continue
        status = work(server, numbers, all_texts, number)
        statuses[status] = statuses.get(status, 0) + 1
        number += 1
    by_minute.append(round(memory(server.process.pid), 1))
    with open(f"/proc/{server.process.pid}/status") as status:
        peak = next(int(line.split()[1]) for line in status if line.startswith("VmHWM")) / 1024
    server.end()
    print(json.dumps({"minutes": minutes, "requests": number, "statuses": statuses, "peak_megabytes": round(peak, 1), "megabytes_by_minute": by_minute}))


main()
