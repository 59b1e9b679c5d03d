#!/usr/bin/env python3
"""Coding agents that call the council: real clients over a fake model server, set up by `git council agents install`.

    python3 tests/real-clients/inside.py [CLIENT…]

Each client is asked to review a change in which a conflict is left. The model that plays the agent calls `review`, reads FAIL,
mends the file with the client's own tool, calls `review` again, reads PASS, and ends. Then the set-up is removed, and nothing
of it is left. COUNCIL_PROGRAM and COUNCIL_SERVER name the programs instead of building them.
"""

import json
import os
import pathlib
import subprocess
import sys
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
        assert not list(stage.home.rglob("git-council/SKILL.md")), "the skill is left"
        if client == "gemini":
            assert "// how I log in" in (stage.home / ".gemini" / "settings.json").read_text()
        left = [f for f in stage.home.rglob("*") if ".cache" not in f.parts and f.suffix in (".json", ".toml") and "mcp" in f.name + f.parent.name and "git-council" in f.read_text()]
        assert not left, left
    finally:
        stage.drop()


def transcript(client, stage, said):
    """What the model was told and what it did, for whoever wants to see it."""
    folder = os.environ.get("TRANSCRIPTS")
    if not folder:
        return
    lines = ["# %s\n" % client]
    for request in stage.requests():
        body = json.dumps(request["body"])
        for word in ["FAIL (rules only)", "PASS (rules only)"]:
            if word in body:
                lines.append("request %s: the model has read %r\n" % (request.get("nth"), word))
    (pathlib.Path(folder) / (client + ".txt")).write_text("".join(lines) + "\n" + said)


def main(wanted):
    if "COUNCIL_PROGRAM" not in os.environ:
        subprocess.run(["cargo", "build", "--quiet", "-p", "git-council", "-p", "council-fake-models"], cwd=run.ROOT, check=True)
    names = [name for name in CLIENTS if name in wanted] if wanted else [name for name in CLIENTS if name not in run.HEAVY]
    run.install(set(names))
    failed = 0
    for name in names:
        began = time.time()
        try:
            play(name)
            print("ok    %5.1f s  inside/%s" % (time.time() - began, name), flush=True)
        except Exception as error:
            failed += 1
            print("FAIL  %5.1f s  inside/%s: %s" % (time.time() - began, name, error), flush=True)
    return 1 if failed or not names else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
