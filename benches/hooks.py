#!/usr/bin/env python3
"""What the pre-push hook costs: real pushes with it and with a trivial compiled hook, in turn.

    python3 benches/hooks.py PROGRAM [--runs N] [--repo PATH]

PROGRAM is the git-council to measure (a release build). With --repo, recognition of an unchanged range of 1,000 commits
of that repository is measured beside `git diff | git patch-id --verbatim`. Needs Python 3.9, git and a C compiler. Wall
time in milliseconds, medians of alternating runs; prints Markdown; the exit code is 1 when a goal is missed.
"""

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ENV = {
    "PATH": os.environ["PATH"],
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_AUTHOR_NAME": "A",
    "GIT_AUTHOR_EMAIL": "a@example.com",
    "GIT_COMMITTER_NAME": "A",
    "GIT_COMMITTER_EMAIL": "a@example.com",
    "LC_ALL": "C",
}


def git(repo, *args):
    return subprocess.run(["git", *args], cwd=repo, env=ENV, check=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE).stdout


def timed(argv, cwd, stdin=b""):
    began = time.perf_counter()
    done = subprocess.run(argv, cwd=cwd, env=ENV, input=stdin, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    took = (time.perf_counter() - began) * 1000
    if done.returncode not in (0, 1):
        raise SystemExit(f"{argv} ended with {done.returncode}")
    return took


class Bench:
    def __init__(self, program, runs, folder):
        self.program, self.runs, self.folder, self.missed = program, runs, Path(folder), False
        ENV["HOME"] = str(self.folder)
        trivial = self.folder / "trivial.c"
        trivial.write_text("int main(void) { return 0; }\n")
        self.trivial = self.folder / "trivial"
        subprocess.run(["cc", "-O2", "-o", self.trivial, trivial], check=True)
        self.repo, self.remote = self.folder / "repo", self.folder / "remote.git"
        git(folder, "init", "-q", "--bare", str(self.remote))
        git(folder, "init", "-q", "-b", "main", str(self.repo))
        git(self.repo, "remote", "add", "origin", str(self.remote))
        for n in range(40):
            (self.repo / f"file{n}.py").write_text("".join(f"def f{n}_{i}(x):\n    return x + {i}\n\n" for i in range(60)))
        git(self.repo, "add", ".")
        git(self.repo, "commit", "-qm", "Start")
        git(self.repo, "push", "-q", "origin", "main")
        git(self.repo, "fetch", "-q", "origin")

    def change(self, lines):
        """A commit that changes so many lines."""
        git(self.repo, "checkout", "-q", "-B", "work", "main")
        for n in range(10):
            path = self.repo / f"file{n}.py"
            text = path.read_text().splitlines(keepends=True)
            for i in range(lines // 10):
                text[3 * i + 1] = text[3 * i + 1].replace("+", "-")
            path.write_text("".join(text))
        git(self.repo, "commit", "-qam", "Change")

    def hook(self, which):
        """Puts a hook in place: the trivial program, or ours."""
        hook = self.repo / ".git/hooks/pre-push"
        hook.parent.mkdir(exist_ok=True)
        hook.unlink(missing_ok=True)
        if which == "trivial":
            os.symlink(self.trivial, hook)
        else:
            subprocess.run([self.program, "hook", "install"], cwd=self.repo, env=ENV, check=True, stdout=subprocess.DEVNULL)

    def pushes(self, before, *args):
        """Median wall times of a push with the trivial hook and with ours."""
        times = {"trivial": [], "ours": []}
        for n in range(self.runs + 1):
            for which in times:
                self.hook(which)
                before()
                took = timed(["git", "push", "-q", "origin", *args], self.repo)
                if n:
                    times[which].append(took)
        return statistics.median(times["trivial"]), statistics.median(times["ours"])

    def row(self, what, base, ours, goal, kept):
        self.missed |= not kept
        print(f"| {what} | {base} | {ours:.1f} | {goal} | {'yes' if kept else '**no**'} |")

    def all(self, repo):
        print("| what | beside it, ms | ours, ms | goal | kept |")
        print("| --- | ---: | ---: | --- | --- |")
        self.change(100)
        subprocess.run([self.program, "review", "main..work"], cwd=self.repo, env=ENV, stdout=subprocess.DEVNULL)
        forget = lambda: git(self.remote, "update-ref", "-d", "refs/heads/work") and None
        base, ours = self.pushes(forget, "work")
        self.row("push with a recognised verdict", f"{base:.1f}", ours, "+15 ms", ours - base <= 15)
        there = lambda: git(self.repo, "push", "-q", "--no-verify", "origin", "work:gone") and None
        base, ours = self.pushes(there, ":gone")
        self.row("push of a deletion", f"{base:.1f}", ours, "+5 ms", ours - base <= 5)
        self.change(500)
        clear = lambda: (forget(), subprocess.run([self.program, "cache", "clear"], cwd=self.repo, env=ENV, stdout=subprocess.DEVNULL))
        base, ours = self.pushes(clear, "work")
        self.row("built-in council on 500 lines, in the push", f"{base:.1f}", ours, "250 ms", ours - base < 250)
        if repo:
            self.recognition(Path(repo))
        return self.missed

    def recognition(self, source):
        clone = self.folder / "clone"
        git(self.folder, "clone", "-q", "--shared", "--no-checkout", str(source), str(clone))
        tip = git(clone, "rev-parse", "HEAD").decode().strip()
        base = git(clone, "rev-list", "--first-parent", "--skip=1000", "-n1", "HEAD").decode().strip()
        range_ = f"{base}..{tip}"
        ours = [self.program, "review", "--quiet", range_]
        theirs = ["sh", "-c", f"git diff {base} {tip} | git patch-id --verbatim"]
        timed(ours, clone)
        times = ([], [])
        for n in range(self.runs + 1):
            for which, argv in enumerate((theirs, ours)):
                took = timed(argv, clone)
                if n:
                    times[which].append(took)
        a, b = map(statistics.median, times)
        self.row(f"recognition of 1,000 commits of {source.name}", f"{a:.1f}", b, "1.0 ×", b <= a)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("program")
    parser.add_argument("--runs", type=int, default=15)
    parser.add_argument("--repo")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        missed = Bench(str(Path(args.program).resolve()), args.runs, folder).all(args.repo)
    sys.exit(1 if missed else 0)


if __name__ == "__main__":
    main()
