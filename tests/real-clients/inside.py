#!/usr/bin/env python3
"""Coding agents that call the council: real clients over a fake model server, set up by `git council agents install`.

    python3 tests/real-clients/inside.py [CLIENT…]

Each client is asked to review a change in which a conflict is left. The model that plays the agent calls `review`, reads FAIL,
mends the file with the client's own tool, calls `review` again, reads PASS, and ends. Then the set-up is removed, and nothing
of it is left. `claude-plugin` is Claude Code with the plugin instead. TRANSCRIPTS names a folder for what was called and read;
`transcripts/` has those of the pinned versions. COUNCIL_PROGRAM and COUNCIL_SERVER name the programs instead of building them.
"""

import json
import os
import pathlib
import subprocess
import sys
import textwrap
import time

import run

PROGRAM = pathlib.Path(os.environ.get("COUNCIL_PROGRAM", run.PROGRAM))
PROMPT = "I am done with the notes. Review my change before I push it."
MEND = "printf 'ours and theirs\\n' > notes.md"

# Client: its command, the council's tool as it names it, its own tool that runs a command, and the field of the command.
CLIENTS = {
    "claude": (lambda stage: ["claude", "-p", PROMPT, "--model", "fake-sonnet", "--allowedTools", "mcp__git-council,Bash"],
               "mcp__git-council__review", {"name": "Bash", "input": {"command": MEND}}),
    # Newer models of Codex call tools from a program that they write; this one calls them as everybody does.
    "codex": (lambda stage: [*run.codex_command(stage.url), "-c", 'mcp_servers.git-council.default_tools_approval_mode="approve"',
                             "exec", "-m", "gpt-5-codex", "--skip-git-repo-check", "--dangerously-bypass-approvals-and-sandbox", PROMPT],
              "review", {"name": "exec_command", "input": {"cmd": MEND}}),
    "gemini": (lambda stage: ["gemini", "-p", PROMPT, "--approval-mode", "yolo", "--skip-trust"],
               "mcp_git-council_review", {"name": "run_shell_command", "input": {"command": MEND}}),
    "opencode": (lambda stage: ["opencode", "run", "-m", "fake/fake-model", PROMPT],
                 "git-council_review", {"name": "bash", "input": {"command": MEND, "description": "mend"}}),
    "copilot": (lambda stage: ["copilot", "-p", PROMPT, "--allow-all-tools"],
                "git-council-review", {"name": "bash", "input": {"command": MEND, "description": "mend"}}),
}


# A user's own settings, with a comment that has to stay.
GEMINI = """{
  // how I log in
  "security": { "auth": { "selectedType": "gemini-api-key" } },
  "privacy": { "usageStatisticsEnabled": false },
  "general": { "enableAutoUpdate": false, "enableAutoUpdateNotification": false }
}
"""


class Inside(run.Stage):
    """A worktree with a conflict, and a home in which one client knows the council."""

    def repository(self):
        self.git("init", "--quiet", "--initial-branch=main", ".")
        (self.work / "notes.md").write_text("Notes\n")
        self.git("add", "."), self.git("commit", "--quiet", "-m", "One")
        (self.work / "notes.md").write_text("<<<<<<< HEAD\nours\n=======\ntheirs\n>>>>>>> side\n")

    def configure(self, more):
        """The judges are the built-in rules: what is tried is the way there and back. Gemini wants to be told how to log in."""
        if self.agent == "gemini":
            (self.home / ".gemini").mkdir()
            (self.home / ".gemini" / "settings.json").write_text(GEMINI)

    def environment(self):
        more = {"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1", "DISABLE_AUTOUPDATER": "1", "DISABLE_TELEMETRY": "1",
                "GEMINI_CLI_TRUST_WORKSPACE": "true", "OPENCODE_DISABLE_MODELS_FETCH": "1", "OPENCODE_DISABLE_AUTOUPDATE": "1",
                "COPILOT_AUTO_UPDATE": "false"}
        return {**super().environment(), **more}

    def council(self, *args):
        done = subprocess.run([PROGRAM, *args], cwd=self.work, env=self.environment(), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        assert done.returncode == 0, (args, done.stdout)
        return done.stdout


def rules(review, mend):
    asked = {"name": review, "input": {}}
    offered = {"tool": review}
    return [
        {"match": {**offered, "after_tool": mend["name"]}, "respond": {"tool": asked}},
        {"match": {**offered, "last_contains": "FAIL (rules only)"}, "times": 1, "respond": {"tool": mend}},
        {"match": {**offered, "last_contains": "PASS (rules only)"}, "respond": {"text": "The council says PASS."}},
        {"match": offered, "times": 1, "respond": {"tool": asked}},
        {"respond": {"text": "I did not find the tool."}},
    ]


def play(client):
    command, review, mend = CLIENTS[client]
    stage = Inside(client, rules(review, mend))
    try:
        before = stage.council("agents", "install", client)
        assert "would write" in before and not list(stage.home.rglob("git-council/SKILL.md")), before
        stage.council("agents", "install", client, "--write")
        done = subprocess.run(command(stage), cwd=stage.work, env=stage.environment(), stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=150)
        transcript(client, stage, done.stdout)
        assert "The council says PASS." in done.stdout, "ended with %d\n%s" % (done.returncode, done.stdout[-3000:])
        report = json.loads(stage.council("show", "--json"))
        assert report["verdict"] == "PASS", report["verdict"]
        print("      %s: started by %r" % (client, report["receipt"]["run"]["started_by"]), flush=True)
        runs = stage.council("log")
        assert "FAIL" in runs and "PASS" in runs, runs
        again = stage.council("agents", "install", client, "--write")
        assert "changed" not in again and "wrote" not in again, again
        stage.council("agents", "remove", client, "--write")
        left = [*stage.home.rglob("git-council/SKILL.md"), *stage.home.rglob("commands/council.*")]
        assert not left, left
        if client == "gemini":
            assert "// how I log in" in (stage.home / ".gemini" / "settings.json").read_text()
        left = [f for f in stage.home.rglob("*") if ".cache" not in f.parts and f.suffix in (".json", ".toml") and "mcp" in f.name + f.parent.name and "git-council" in f.read_text()]
        assert not left, left
    finally:
        stage.drop()


def spoken(body):
    """What was called and what came back, as a request tells it of the conversation so far, whatever its API is."""
    for message in body.get("messages") or body.get("input") or body.get("contents") or []:
        if not isinstance(message, dict):
            continue
        for call in message.get("tool_calls") or []:
            yield "call", call["function"]["name"], json.loads(call["function"]["arguments"] or "{}")
        if message.get("role") == "tool":
            yield "result", None, message["content"]
        if message.get("type") == "function_call":
            yield "call", message["name"], json.loads(message["arguments"] or "{}")
        if message.get("type") == "function_call_output":
            yield "result", None, message["output"]
        parts = message.get("parts") or message.get("content")
        for part in parts if isinstance(parts, list) else []:
            if part.get("type") == "tool_use":
                yield "call", part["name"], part["input"]
            if part.get("type") == "tool_result":
                yield "result", None, part["content"]
            if "functionCall" in part:
                yield "call", part["functionCall"]["name"], part["functionCall"].get("args", {})
            if "functionResponse" in part:
                yield "result", None, part["functionResponse"]["response"]


def texts(value):
    """Every text in a result, one below the other."""
    if isinstance(value, str):
        return [value]
    if isinstance(value, dict):
        return texts([item for key, item in value.items() if key != "type"])
    return [text for item in value for text in texts(item)] if isinstance(value, list) else []


def transcript(client, stage, said):
    """The calls of the client and the first lines of what came back, for whoever wants to see them."""
    folder = os.environ.get("TRANSCRIPTS")
    if not folder:
        return
    bodies = [json.loads(request["body"] or "{}") for request in stage.requests() if request["method"] == "POST"]
    conversation = max((list(spoken(body)) for body in bodies), key=len, default=[])
    lines = ["# %s, over the fake model server\n" % client, "> %s\n" % PROMPT]
    for kind, name, what in conversation:
        if kind == "call":
            lines.append("\n%s %s\n" % (name, json.dumps(what)))
            continue
        first = "\n".join(texts(what)).strip().splitlines()[:4]
        lines += ["    %s\n" % textwrap.shorten(line, 110, placeholder=" …") for line in first if line.strip()]
    lines += ["\n%s\n" % line for line in said.splitlines() if line.startswith("The council says")][-1:]
    text = "".join(lines)
    for place, word in [(str(stage.folder), "/stage"), (str(PROGRAM), "git-council"), (stage.url, "http://models")]:
        text = text.replace(place, word)
    (pathlib.Path(folder) / (client + ".txt")).write_text(text)


def play_plugin():
    """The plugin for Claude Code as a marketplace brings it: no file is written by `agents install`."""
    review = "mcp__plugin_git-council_git-council__review"
    stage = Inside("claude", rules(review, CLIENTS["claude"][2]))
    # The plugin starts the program by its name.
    there = {**stage.environment(), "PATH": "%s:%s" % (PROGRAM.parent, stage.environment()["PATH"])}

    def client(*args):
        done = subprocess.run(["claude", *args], cwd=stage.work, env=there, stdin=subprocess.DEVNULL, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=150)
        assert done.returncode == 0, (args, done.stdout[-3000:])
        return done.stdout

    try:
        for folder in [run.ROOT, run.ROOT / "clients" / "claude"]:
            client("plugin", "validate", str(folder))
        client("plugin", "marketplace", "add", str(run.ROOT))
        client("plugin", "install", "git-council@git-council")
        said = client("-p", PROMPT, "--model", "fake-sonnet", "--allowedTools", "mcp__plugin_git-council_git-council,Bash")
        transcript("claude-plugin", stage, said)
        assert "The council says PASS." in said, said[-3000:]
        asked = json.dumps([request["body"] for request in stage.requests()])
        assert "git-council:git-council" in asked, "the skill is not offered"
        client("plugin", "uninstall", "git-council@git-council")
        settings = stage.home / ".claude" / "settings.json"
        assert "git-council@git-council" not in (settings.read_text() if settings.exists() else ""), settings.read_text()
    finally:
        stage.drop()


def main(wanted):
    if "COUNCIL_PROGRAM" not in os.environ:
        subprocess.run(["cargo", "build", "--quiet", "--workspace", "--all-targets"], cwd=run.ROOT, check=True)
    every = [*CLIENTS, "claude-plugin"]
    names = [name for name in every if name in wanted] if wanted else [name for name in every if name not in run.HEAVY]
    run.install(set(names))
    failed = 0
    for name in names:
        began = time.time()
        try:
            play_plugin() if name == "claude-plugin" else play(name)
            print("ok    %5.1f s  inside/%s" % (time.time() - began, name), flush=True)
        except Exception as error:
            failed += 1
            print("FAIL  %5.1f s  inside/%s: %s" % (time.time() - began, name, error), flush=True)
    return 1 if failed or not names else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
