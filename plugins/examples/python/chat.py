#!/usr/bin/env python3
"""A backend in Python: judges on any server that speaks OpenAI's chat completions (llama.cpp, Ollama, vLLM, a provider).

Its configuration, of which `key_file` may be left out:

    {"url": "http://127.0.0.1:11434/v1", "model": "qwen3-coder", "key_file": "/home/me/.config/chat.key"}

It is a child process of the program: one JSON object a line, requests on stdin, events on stdout. Each judge has a thread
and a conversation that is kept from turn to turn, which is what the capability "message" promises. Standard library only.
"""

import http.client
import json
import queue
import socket
import sys
import threading
import urllib.parse

CAPABILITIES = ["spawn", "message", "shutdown", "cost"]
MANIFEST = {"name": "chat", "version": "1", "protocols": [1], "capabilities": CAPABILITIES}
PROBE_SECONDS = 5

output = threading.Lock()


def emit(kind, **fields):
    """Writes one event as one line; judge and turn stand in front of long texts."""
    with output:
        sys.stdout.write(json.dumps({"type": kind, **fields}) + "\n")
        sys.stdout.flush()


class Failure(Exception):
    """Why there is no answer: one of the protocol's kinds, and words for a person."""

    def __init__(self, kind, detail):
        super().__init__(detail)
        self.kind, self.detail = kind, detail

    def fields(self):
        return {"kind": self.kind, "detail": self.detail}


def later(milliseconds, call, *args):
    """Calls something after a while, unless the process ends before."""
    timer = threading.Timer(milliseconds / 1000, call, args)
    timer.daemon = True
    timer.start()
    return timer


class Server:
    """Where the model is."""

    def __init__(self, config):
        url = urllib.parse.urlsplit(config.get("url", ""))
        if url.scheme not in ("http", "https") or not url.hostname or not config.get("model"):
            raise ValueError("set config.url to a server (http://127.0.0.1:11434/v1) and config.model to a model")
        self.https, self.host, self.port, self.path = url.scheme == "https", url.hostname, url.port, url.path.rstrip("/")
        self.model = config["model"]
        self.headers = {"Content-Type": "application/json"}
        if "key_file" in config:
            with open(config["key_file"], encoding="utf-8") as key:
                self.headers["Authorization"] = "Bearer " + key.read().strip()

    def connection(self, seconds):
        kind = http.client.HTTPSConnection if self.https else http.client.HTTPConnection
        return kind(self.host, self.port, timeout=seconds)

    def probe(self):
        connection = self.connection(PROBE_SECONDS)
        try:
            connection.request("GET", self.path + "/models", headers=self.headers)
            status = connection.getresponse().status
        except OSError as error:
            raise Failure("spawn", f"{self.host} cannot be reached: {error}") from error
        finally:
            connection.close()
        if status in (401, 403):
            raise Failure("quota", f"{self.host} refused the key (HTTP {status})")


class Judge(threading.Thread):
    """One seat: a conversation, and a thread that carries it on."""

    def __init__(self, server, spec):
        super().__init__(daemon=True)
        self.server, self.id, self.limit = server, spec["seat"]["judge"], spec["max_answer_bytes"]
        self.brief, self.messages = spec.get("brief", ""), []
        self.turns = queue.SimpleQueue()
        self.lock = threading.Lock()
        self.connection, self.busy, self.forced = None, False, False
        self.why = None  # the kind of failure as which the turn was cut

    def run(self):
        emit("started", judge=self.id)
        while (turn := self.turns.get()) is not None:
            with self.lock:
                self.busy, self.why = True, None
            clock = later(turn["timeout_ms"], self.cut, "timeout")
            try:
                answer, usage = self.ask(turn)
                emit("answered", judge=self.id, turn=turn["id"], usage=usage, raw=answer)
            except Failure as failure:
                emit("failed", judge=self.id, turn=turn["id"], failure=failure.fields())
            clock.cancel()
            with self.lock:
                self.busy = False
        emit("ended", judge=self.id, ending="forced" if self.forced else "graceful")

    def ask(self, turn):
        """Sends the conversation with the next prompt; what did not come to an answer is not kept."""
        prompt = {"role": "user", "content": (self.brief if not self.messages else "") + turn["prompt"]}
        messages = self.messages + [prompt]
        status, body = self.post({"model": self.server.model, "messages": messages}, turn["timeout_ms"] / 1000)
        try:
            reply = json.loads(body.decode("utf-8", errors="replace"))
        except ValueError as error:
            raise Failure("malformed", f"the server sent no JSON (HTTP {status})") from error
        if status != 200:
            raise Failure("quota" if status in (401, 402, 403, 429) else "died", f"HTTP {status}: {reply}"[:500])
        try:
            answer = reply["choices"][0]["message"]["content"]
        except (KeyError, IndexError, TypeError) as error:
            raise Failure("malformed", f"the server's reply has no answer in it: {reply}"[:500]) from error
        if not answer:
            raise Failure("empty", "the model said nothing")
        if len(answer.encode()) > self.limit:
            raise Failure("oversized", f"the answer has more than {self.limit} bytes")
        self.messages = messages + [{"role": "assistant", "content": answer}]
        spent = reply.get("usage") or {}
        return answer, {"input_tokens": spent.get("prompt_tokens"), "output_tokens": spent.get("completion_tokens")}

    def post(self, request, seconds):
        """One request that `cut` can interrupt from another thread."""
        connection = self.server.connection(seconds)
        try:
            connection.connect()
            with self.lock:
                self.connection = connection
                if self.why:
                    raise OSError("cut before it was sent")
            connection.request("POST", self.server.path + "/chat/completions", json.dumps(request), self.server.headers)
            response = connection.getresponse()
            bound = 6 * self.limit + 65536  # a byte may take six in JSON
            body = response.read(bound + 1)
            if len(body) > bound:
                raise Failure("oversized", f"the server sent more than {bound} bytes")
            with self.lock:
                if self.why:  # a stream that was cut looks like one that has ended
                    raise OSError("cut")
            return response.status, body
        except (OSError, http.client.HTTPException) as error:
            with self.lock:
                kind = self.why or "died"
            raise Failure(kind, f"{self.server.host}: {error}") from error
        finally:
            with self.lock:
                self.connection = None
            connection.close()

    def cut(self, why):
        """Interrupts the turn that is going on, if one is."""
        with self.lock:
            if self.busy and not self.why:
                self.why = why
                if self.connection:
                    try:
                        self.connection.sock.shutdown(socket.SHUT_RDWR)
                    except OSError:
                        pass  # it has ended by itself

    def end(self, grace_ms):
        """No more turns; the one that is going on has the grace."""
        self.turns.put(None)

        def force():
            if self.is_alive():
                self.forced = True
                self.cut("cancelled")

        if grace_ms > 0:
            later(grace_ms, force)
        else:
            force()


class Backend:
    """The seven requests of the protocol."""

    def __init__(self):
        self.server, self.judges = None, {}

    def manifest(self, _):
        emit("manifest", **MANIFEST)

    def open(self, request):
        hello = request["hello"]
        if 1 not in hello["protocols"]:
            raise ValueError("the chat backend speaks protocol 1 only")
        self.server = Server(hello.get("config") or {})
        emit("opened", protocol=1)

    def spawn(self, request):
        judge = Judge(self.server, request["spec"])
        self.judges[judge.id] = judge
        judge.start()

    def send(self, request):
        message = request["message"]
        if message["type"] == "probe":
            threading.Thread(target=self.probe, args=[message["seat"]["judge"]], daemon=True).start()
        elif message["type"] == "turn":
            judge, turn = self.judges.get(message["judge"]), message["turn"]
            if judge is None or not judge.is_alive():
                failure = Failure("died", f"there is no judge {message['judge']}").fields()
                emit("failed", judge=message["judge"], turn=turn["id"], failure=failure)
            else:
                judge.turns.put(turn)

    def probe(self, judge):
        try:
            self.server.probe()
            emit("probed", judge=judge, capabilities=CAPABILITIES)
        except Failure as failure:
            emit("failed", judge=judge, failure=failure.fields())

    def cancel(self, request):
        if request["judge"] in self.judges:
            self.judges[request["judge"]].cut("cancelled")

    def shutdown(self, request):
        if request["judge"] in self.judges:
            self.judges[request["judge"]].end(request["grace_ms"])

    def close(self, _=None):
        for judge in self.judges.values():
            judge.end(0)
        for judge in self.judges.values():
            judge.join(1)
        emit("closed")
        sys.exit(0)


def main():
    backend = Backend()
    for line in sys.stdin.buffer:
        if not line.strip():
            continue
        request = json.loads(line)
        call = getattr(backend, request["type"], None) if request["type"] in CALLS else None
        try:
            if call:
                call(request)
        except (OSError, ValueError) as error:
            emit("error", message=f"{request['type']}: {error}")
    backend.close()


CALLS = ("manifest", "open", "spawn", "send", "cancel", "shutdown", "close")

if __name__ == "__main__":
    main()
