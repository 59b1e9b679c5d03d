#!/usr/bin/env python3
"""An npm registry for the packages of one folder, and for nothing else: what `npx git-council` finds before it is published.

    packaging/npm_registry.py FOLDER PORT_FILE
"""

import base64
import hashlib
import http.server
import json
import pathlib
import sys
import tarfile
import urllib.parse


def packages(folder):
    found = {}
    for file in sorted(pathlib.Path(folder).glob("*.tgz")):
        with tarfile.open(file) as tar:
            manifest = json.load(tar.extractfile("package/package.json"))
        found[manifest["name"]] = (file, manifest)
    return found


class Registry(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        name = urllib.parse.unquote(self.path).lstrip("/")
        if name.endswith(".tgz"):
            file = next((f for f, _ in self.server.packages.values() if f.name == name), None)
            return self.answer(file and file.read_bytes(), "application/octet-stream")
        file, manifest = self.server.packages.get(name, (None, None))
        if not file:
            return self.answer(None, "")
        integrity = "sha512-" + base64.b64encode(hashlib.sha512(file.read_bytes()).digest()).decode()
        tarball = "http://127.0.0.1:%d/%s" % (self.server.server_address[1], file.name)
        version = manifest["version"]
        whole = {"name": name, "dist-tags": {"latest": version},
                 "versions": {version: {**manifest, "dist": {"tarball": tarball, "integrity": integrity}}}}
        self.answer(json.dumps(whole).encode(), "application/json")

    def answer(self, body, kind):
        self.send_response(200 if body else 404)
        self.send_header("content-type", kind or "text/plain")
        self.send_header("content-length", str(len(body or b"")))
        self.end_headers()
        self.wfile.write(body or b"")

    def log_message(self, *_):
        pass


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Registry)
server.packages = packages(sys.argv[1])
partial = pathlib.Path(sys.argv[2] + ".partial")
partial.write_text(str(server.server_address[1]))
partial.rename(sys.argv[2])
server.serve_forever()
