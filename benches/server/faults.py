"""What goes wrong around a server, and that nothing is lost: `python3 benches/server/faults.py PROGRAM [SECONDS]`.

* kill -9 while glossaries are written, again and again: each glossary is whole, the old one or the new one, and what was confirmed is there;
* 10,000 open connections (as many as the system allows), during which others are served;
* requests of random bytes, cut and changed requests at all paths for SECONDS (default 60): no answer of 500, the server lives.

Prints JSON; exit status 1 if something was lost. Needs nothing but Python.
"""

import http.client
import io
import json
import os
import random
import resource
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import zipfile


class Server:
    def __init__(self, program, *options):
        self.process = subprocess.Popen([program, "serve", "--port", "0", *options], stdout=subprocess.PIPE, text=True)
        address = self.process.stdout.readline().strip()
        self.host, port = address.split("//")[1].split(":")
        self.port = int(port)

    def ask(self, method, path, body=None, head=None):
        connection = http.client.HTTPConnection(self.host, self.port, timeout=30)
        text = body if body is None or isinstance(body, bytes) else json.dumps(body)
        connection.request(method, path, text, {"Content-Type": "application/json", **(head or {})})
        answer = connection.getresponse()
        return answer.status, answer.read()

    def translates(self):
        status, answer = self.ask("POST", "/translate", {"q": "Good morning!", "source": "en", "target": "de"})
        return status == 200 and json.loads(answer) == {"translatedText": "Guten Morgen!"}

    def end(self, number=signal.SIGTERM):
        self.process.send_signal(number)
        self.process.wait()


def killed(program, rounds=20):
    """Writers change glossaries until the server is killed; then each is read again."""
    folder = tempfile.mkdtemp()
    data = os.path.join(folder, "state.db")
    confirmed, failures = {}, []
    numbers = random.Random(1)
    for turn in range(rounds):
        server = Server(program, "--data", data)
        sent = dict(confirmed)

        def write(writer):
            glossary = confirmed.get(writer, (None, 0))[0]
            for version in range(turn * 10_000, turn * 10_000 + 10_000):
                entries = [{"source": f"word{number}", "target": [f"v{version}"]} for number in range(200)]
                body = {"name": str(writer), "source": "en", "target": "de", "entries": entries}
                try:
                    if glossary is None:
                        status, answer = server.ask("POST", "/api/v1/glossaries", body)
                        glossary = json.loads(answer)["id"]
                    else:
                        sent[writer] = (glossary, version)
                        status, _ = server.ask("PUT", f"/api/v1/glossaries/{glossary}", body)
                    if status in (200, 201):
                        confirmed[writer] = (glossary, version)
                except (OSError, http.client.HTTPException):
                    return

        writers = [threading.Thread(target=write, args=(writer,)) for writer in range(4)]
        [writer.start() for writer in writers]
        time.sleep(numbers.uniform(0.1, 0.6))
        server.end(signal.SIGKILL)
        [writer.join() for writer in writers]
        server = Server(program, "--data", data)
        for writer, (glossary, version) in confirmed.items():
            status, answer = server.ask("GET", f"/api/v1/glossaries/{glossary}")
            found = {entry["target"][0] for entry in json.loads(answer).get("entries", [])}
            allowed = [{f"v{version}"}, {f"v{sent.get(writer, (0, version))[1]}"}]
            if status != 200 or found not in allowed:
                failures.append([turn, writer, status, sorted(found)[:3], version])
        server.end()
    return {"kills": rounds, "glossaries": len(confirmed), "lost_or_torn": failures}


def crowded(program, wanted=10_000):
    """Many connections that do nothing, and one client that asks."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    server = Server(program, "--max-connections", str(wanted + 100))
    assert server.translates()
    count = min(wanted, hard - 200)
    connections = []
    for number in range(count):
        connection = socket.create_connection((server.host, server.port))
        if number % 2:
            connection.sendall(b"POST /translate HTTP/1.1\r\ncontent-length: 10\r\n\r\n")
        connections.append(connection)
    time.sleep(0.5)
    begun = time.perf_counter()
    served = server.translates()
    milliseconds = round(1000 * (time.perf_counter() - begun), 1)
    with open(f"/proc/{server.process.pid}/status") as status:
        memory = next(int(line.split()[1]) for line in status if line.startswith("VmRSS")) / 1024
    [connection.close() for connection in connections]
    server.end()
    return {"connections": count, "served": served, "milliseconds": milliseconds, "memory_megabytes": round(memory, 1)}


PATHS = """/translate /detect /languages /translate_file /download_file/a.b.c /suggest /frontend/settings /health /metrics /spec /v2/translate
/v2/languages /v2/usage /v2/document /v2/document/a /v2/document/a/result /v2/glossaries /v2/glossaries/a /v2/glossaries/a/entries
/v3/glossaries /v3/glossaries/a /v3/glossaries/a/entries /v3/glossaries/a/dictionaries /api/v1/info /api/v1/languages /api/v1/models
/api/v1/detect /api/v1/translate /api/v1/files /api/v1/files/a /api/v1/files/a/result /api/v1/glossaries /api/v1/glossaries/a / /none""".split()
BODIES = [
    b'{"q": "Good morning!", "source": "en", "target": "de", "alternatives": 2, "format": "html"}',
    b'{"text": ["Good <x id=\\"1\\"/> morning!"], "target_lang": "DE", "source_lang": "EN", "tag_handling": "xml"}',
    b'{"text": "Good morning!", "source": "auto", "target": "de", "terms": [{"source": "morning", "target": ["Tag"]}], "alignment": true, "scores": true}',
    b'{"name": "g", "source": "en", "target": "de", "tsv": "a\\tb"}',
    b'{"name": "g", "dictionaries": [{"source_lang": "en", "target_lang": "de", "entries": "a\\tb", "entries_format": "csv"}]}',
    b"q=Good+morning&source=en&target=de",
]


def upload(name, content):
    """The body of a form with a file."""
    fields = {"source": "en", "target": "de", "target_lang": "DE"}
    parts = [f'--x\r\nContent-Disposition: form-data; name="{field}"\r\n\r\n{value}\r\n'.encode() for field, value in fields.items()]
    file = f'--x\r\nContent-Disposition: form-data; name="file"; filename="{name}"\r\n\r\n'.encode() + content + b"\r\n--x--\r\n"
    return b"".join(parts) + file


def archive(parts):
    """A zip archive."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as file:
        [file.writestr(name, text) for name, text in parts.items()]
    return packed.getvalue()


WORD = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
FILES = {
    "a.txt": b"Good morning! How are you?\n",
    "a.html": b"<p>Good <b>morning</b>!</p><script>x</script>",
    "a.xml": b"<a><b>Good morning!</b></a>",
    "a.md": b"# Good morning\n\n* an *old* house\n",
    "a.srt": b"1\n00:00:01,000 --> 00:00:02,000\nGood morning!\n",
    "a.vtt": b"WEBVTT\n\n00:01.000 --> 00:02.000\nGood morning!\n",
    "a.po": b'msgid ""\nmsgstr ""\n\nmsgid "Good %s morning"\nmsgstr ""\n',
    "a.xliff": b'<xliff version="1.2"><file><body><trans-unit id="1"><source>Good morning</source></trans-unit></body></file></xliff>',
    "a.docx": archive({"word/document.xml": f'<w:document xmlns:w="{WORD}"><w:body><w:p><w:r><w:t>Good morning</w:t></w:r></w:p></w:body></w:document>'}),
    "a.odt": archive({"mimetype": "application/vnd.oasis.opendocument.text", "content.xml": '<o xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0"><text:p>Good morning</text:p></o>'}),
    "a.epub": archive({"mimetype": "application/epub+zip", "a.xhtml": "<html><body><p>Good morning</p></body></html>"}),
    "a.exe": b"MZ",
}
BODIES += [upload(name, content) for name, content in FILES.items()]
KINDS = ["application/json", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", "text/plain", ""]


def changed(numbers, body):
    """A body with some bytes changed, cut, doubled or put in."""
    body = bytearray(body)
    for _ in range(numbers.choice([0, 1, 1, 2, 5])):
        at = numbers.randrange(len(body) + 1)
        match numbers.randrange(4):
            case 0:
                body[at : at + 1] = bytes([numbers.randrange(256)])
            case 1:
                del body[at : at + numbers.randrange(20)]
            case 2:
                body[at:at] = body[: numbers.randrange(60)]
            case 3:
                body[at:at] = numbers.choice([b"[" * 300, b"\0", "\u202e😀".encode(), b"99999999999999999999", b"-1", b"null", b"\\ud800", b"{}"])
    return bytes(body)


def fuzzed(program, seconds):
    server = Server(program)
    numbers, end = random.Random(2), time.monotonic() + seconds
    statuses, bad = {}, []
    while time.monotonic() < end:
        method, path = numbers.choice(["GET", "POST", "PUT", "PATCH", "DELETE", "POST"]), numbers.choice(PATHS)
        body = changed(numbers, numbers.choice(BODIES))
        head = f"{method} {path} HTTP/1.1\r\nhost: a\r\nconnection: close\r\ncontent-type: {numbers.choice(KINDS)}\r\ncontent-length: {len(body)}\r\n\r\n"
        request = head.encode() + body
        if numbers.random() < 0.1:
            request = changed(numbers, request)
        with socket.create_connection((server.host, server.port), timeout=30) as connection:
            connection.settimeout(0.5)
            try:
                connection.sendall(request)
                connection.shutdown(socket.SHUT_WR) if numbers.random() < 0.3 else None
                answer = connection.recv(65536)
            except (OSError, socket.timeout):
                answer = b""
        status = answer[9:12].decode(errors="replace") if answer.startswith(b"HTTP/1.1") else "none"
        statuses[status] = statuses.get(status, 0) + 1
        if status == "500":
            bad.append(request[:300].decode(errors="replace"))
        if server.process.poll() is not None:
            bad.append("the server ended: " + request[:300].decode(errors="replace"))
            return {"requests": sum(statuses.values()), "bad": bad}
    works = server.translates()
    server.end()
    return {"seconds": seconds, "requests": sum(statuses.values()), "statuses": statuses, "works": works, "bad": bad[:5]}


if __name__ == "__main__":
    program = sys.argv[1]
    seconds = float(sys.argv[2]) if len(sys.argv) > 2 else 60
    result = {"kill": killed(program), "crowd": crowded(program), "fuzz": fuzzed(program, seconds)}
    print(json.dumps(result, indent=1))
    fine = not result["kill"]["lost_or_torn"] and result["crowd"]["served"] and not result["fuzz"]["bad"] and result["fuzz"]["works"]
    sys.exit(0 if fine else 1)
