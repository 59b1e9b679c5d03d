#!/usr/bin/env python3
"""Benchmarks: git and git-council side by side, on repositories made for it.

    python3 benches/run.py                     everything, about three minutes
    python3 benches/run.py --only diff         one section
    python3 benches/run.py --repo PATH         ranges of a real repository as well (may be given several times)

Needs Python 3.9, git and cargo. Each pair of commands runs alternately (A B A B ...) in one process; what counts is
the processor time (user and system) of the whole command, as the median of its runs, and the ratio of two medians. A
goal is missed only where the ratio of the medians and the ratio of the minima both miss it, since machines are noisy.
Prints Markdown; the exit code is 1 when a goal is missed.
"""

import argparse
import os
import platform
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

# Nothing of the user's or the machine's configuration may take part.
ENV = {
    "PATH": os.environ["PATH"],
    "HOME": "/nonexistent",
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_OPTIONAL_LOCKS": "0",
    "LC_ALL": "C",
}


# ---------------------------------------------------------------------------------------------------------------------
# Measuring


def run(argv, out=subprocess.DEVNULL, stdin=None, cwd=None):
    """Runs one command; its processor time in milliseconds."""
    child = subprocess.Popen(argv, stdout=out, stdin=stdin, env=ENV, cwd=cwd)
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode != 0:
        raise SystemExit(f"{argv} ended with {child.returncode}")
    return (usage.ru_utime + usage.ru_stime) * 1000


def output(argv, cwd=None):
    return subprocess.run(argv, check=True, stdout=subprocess.PIPE, env=ENV, cwd=cwd).stdout


def alternately(a, b, runs):
    """Processor times of two commands, run in turn after one warm-up each."""
    times = ([], [])
    for n in range(runs + 1):
        for which, argv in enumerate((a, b)):
            with open(os.devnull, "wb") as out:
                spent = run(argv, out)
            if n > 0:
                times[which].append(spent)
    return times


class Goals:
    """What was promised and what was missed."""

    def __init__(self):
        self.missed = []

    def at_most(self, name, ours, theirs, factor=1.0, plus=0.0):
        """Whether ours <= theirs * factor + plus, by medians or by minima."""
        kept = any(f(ours) <= f(theirs) * factor + plus for f in (statistics.median, min))
        if not kept:
            self.missed.append(name)
        return "kept" if kept else "**missed**"

    def check(self, name, kept):
        if not kept:
            self.missed.append(name)
        return "kept" if kept else "**missed**"


def table(head, rows):
    print("| " + " | ".join(head) + " |")
    print("| " + " | ".join("---" if n == 0 else "---:" for n in range(len(head))) + " |")
    for row in rows:
        print("| " + " | ".join(str(cell) for cell in row) + " |")
    print(flush=True)


def build(*what):
    subprocess.run(["cargo", "build", "--quiet", "--release", *what], check=True, cwd=ROOT)
    target = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
    return target / "release"


# ---------------------------------------------------------------------------------------------------------------------
# Repositories made for it. Each has two commits: HEAD~ and HEAD.


def repository(path, commits):
    """Writes commits (dictionaries from path to content) by `git fast-import`, and packs them as a clone would."""
    subprocess.run(["git", "init", "-q", "--bare", "-b", "main", str(path)], check=True, env=ENV)
    stream = bytearray()
    for number, files in enumerate(commits):
        stream += b"commit refs/heads/main\ncommitter A <a@example.com> %d +0000\n" % (1700000000 + number)
        stream += b"data 1\nx\ndeleteall\n"
        for name, text in files.items():
            data = text.encode()
            stream += b"M 100644 inline %s\ndata %d\n%s\n" % (name.encode(), len(data), data)
    subprocess.run(["git", "fast-import", "--quiet"], input=bytes(stream), check=True, env=ENV, cwd=path)
    subprocess.run(["git", "gc", "-q"], check=True, env=ENV, cwd=path)
    return path


def lines(seed, count):
    """Text that looks a little like code and differs from file to file."""
    state, out = seed * 2654435761 % 2**32 or 1, []
    for n in range(count):
        state = (state * 1664525 + 1013904223) % 2**32
        words = (f"item_{state >> 20}", f"value_{state % 997}", f"{state % 89}")
        out.append(f"{'    ' * (n % 4)}let {words[0]} = {words[1]} + {words[2]};\n")
    return out


def wide(path):
    """One line changed among 60,000 files."""
    files = {f"d{n // 2500}/e{n // 50 % 50}/f{n}.txt": f"content of {n}\nsecond line\n" for n in range(60_000)}
    changed = dict(files, **{"d7/e11/f18050.txt": "content of 18050\nanother line\n"})
    return repository(path, [files, changed])


def renames(path):
    """2,000 files moved, 400 of them edited."""
    old, new = {}, {}
    for n in range(2_000):
        text = lines(n + 1, 60)
        old[f"old/d{n // 40}/file{n}.rs"] = "".join(text)
        if n % 5 == 0:
            text[n % 60] = "edited();\n"
            text[(n * 7) % 60] = "edited_too();\n"
        new[f"new/part{n // 40}/file{n}{'' if n % 3 else '_moved'}.rs"] = "".join(text)
    return repository(path, [old, new])


def changed_lines(path, total):
    """About `total` lines changed, in files of 400 lines of which every fourth changes."""
    old, new = {}, {}
    for n in range(max(1, total // 100)):
        text = lines(n + 1, 400)
        old[f"src/m{n // 30}/file{n}.rs"] = "".join(text)
        for at in range(0, 400, 4):
            text[at] = text[at].replace("let", "let mut")
        new[f"src/m{n // 30}/file{n}.rs"] = "".join(text)
    return repository(path, [old, new])


# ---------------------------------------------------------------------------------------------------------------------
# Sections. Each takes the options, the goals and a directory for what it makes; add a function and a name to SECTIONS.


def renames_of_git(repo, old, new):
    """Pairs of old and new path."""
    fields = output(GIT_DIFF(repo, old, new, "--name-status", "-z")).decode("utf-8", "surrogateescape").split("\0")
    found, at = set(), 0
    while at < len(fields) - 1:
        moved = fields[at].startswith(("R", "C"))
        if moved:
            found.add((fields[at + 1], fields[at + 2]))
        at += 3 if moved else 2
    return found


def renames_of_ours(diff, repo, old, new):
    rows = output([diff, repo, old, new, "--names"]).decode("utf-8", "surrogateescape").splitlines()
    return {tuple(row.split("\t")[1:]) for row in rows if row.startswith("Renamed\t")}


def GIT_DIFF(repo, old, new, *options):
    return ["git", "-C", str(repo), "-c", "diff.renameLimit=1000", "diff", "-M", *options, old, new]


def diff(options, goals, made):
    """The unified diff of a range against `git diff -M` of the same range."""
    tool = str(build("--example", "diff") / "examples" / "diff")
    cases = [
        ("one line among 60,000 files", wide(made / "wide"), "HEAD~", "HEAD"),
        ("2,000 renames, 400 edited", renames(made / "renames"), "HEAD~", "HEAD"),
    ]
    for total in (1_000, 10_000, 100_000):
        cases.append((f"{total:,} changed lines", changed_lines(made / f"c{total}", total), "HEAD~", "HEAD"))
    for repo in options.repo:
        name = repo.resolve().parent.name if repo.name in ("repo", ".git") else repo.name
        for back in (1, 100, 1_000):
            if subprocess.run(["git", "-C", str(repo), "rev-parse", "-q", "--verify", f"HEAD~{back}"],
                              env=ENV, stdout=subprocess.DEVNULL).returncode == 0:
                cases.append((f"{name}, HEAD~{back}", repo, f"HEAD~{back}", "HEAD"))
    rows = []
    for name, repo, old, new in cases:
        theirs, ours = alternately(GIT_DIFF(repo, old, new), [tool, str(repo), old, new], options.runs)
        expected, found = renames_of_git(repo, old, new), renames_of_ours(tool, repo, old, new)
        patch = len(output(GIT_DIFF(repo, old, new)))
        mine = len(output([tool, str(repo), old, new]))
        speed = goals.at_most(f"{name}: CPU", ours, theirs, factor=1.3, plus=3.0 if min(theirs) < 10 else 0.0)
        # Which of several equal files moved is a matter of taste: new names are compared.
        shared = len({new for _, new in expected} & {new for _, new in found})
        fidelity = goals.check(f"{name}: renames", shared >= 0.97 * len(expected))
        size = goals.check(f"{name}: bytes", mine <= 1.05 * patch)
        middle = statistics.median
        rows.append((
            name,
            f"{middle(theirs):.1f}", f"{middle(ours):.1f}",
            f"{middle(ours) / middle(theirs):.2f}", f"{min(ours) / min(theirs):.2f}", speed,
            f"{shared} / {len(expected)} ({len(found)})", fidelity,
            f"{patch / 1000:.1f}", f"{mine / patch:.3f}", size,
        ))
    print("## Diff\n")
    table(("range", "git, ms", "ours, ms", "ratio", "of minima", "goal 1.3", "renames: shared / git's (ours)", "goal 97 %",
           "patch, kB", "ours / git's", "goal 1.05"), rows)


# Linux counts what a process weighed before it became another program: a child of this one, which holds whole test
# repositories, would have its peak. So a small process starts the command and prints what it took.
LAUNCHER = """
import os, sys, time
began = time.monotonic()
out = os.open(os.devnull, os.O_WRONLY)
child = os.posix_spawnp(sys.argv[1], sys.argv[1:], os.environ, file_actions=[(os.POSIX_SPAWN_DUP2, out, 1)])
_, status, usage = os.wait4(child, 0)
wall = time.monotonic() - began
print(os.waitstatus_to_exitcode(status), usage.ru_utime + usage.ru_stime, wall, usage.ru_maxrss)
"""


def measured(argv, cwd=None):
    """Processor time and wall time in milliseconds, peak memory in MiB. A verdict of FAIL is no failure here."""
    launch = [sys.executable, "-S", "-E", "-c", LAUNCHER, *argv]
    told = subprocess.run(launch, stdout=subprocess.PIPE, env=ENV, cwd=cwd, check=True).stdout.split()
    if int(told[0]) not in (0, 1):
        raise SystemExit(f"{argv} ended with {int(told[0])}")
    return float(told[1]) * 1000, float(told[2]) * 1000, int(told[3]) / 1024


def startup(options, goals, made):
    """`--version` against a bare program with the same parser."""
    bare = str(build("--example", "bare") / "examples" / "bare")
    ours = str(build() / "git-council")
    runs = max(options.runs, 40)
    theirs, mine = alternately([bare, "--version"], [ours, "--version"], runs)
    kept = goals.at_most("start-up", mine, theirs, factor=1.5)
    middle = statistics.median
    print("## Start-up\n")
    table(("program", "CPU, ms", "least", "goal 1.5"), [
        ("clap alone", f"{middle(theirs):.2f}", f"{min(theirs):.2f}", ""),
        ("git-council --version", f"{middle(mine):.2f}", f"{min(mine):.2f}", f"{kept} ({middle(mine) / middle(theirs):.2f})"),
    ])


def review(options, goals, made):
    """A whole built-in review, three judges and two rounds, against `git diff` of the same change."""
    ours = str(build() / "git-council")
    # Without `--fresh` every run but the first is only the recognition of the first one's verdict.
    judges = ["--perspectives", "security,error-paths,tests", "--debate", "--quiet", "--fresh"]
    rows, middle = [], statistics.median
    for total in (1_000, 10_000, 50_000, 100_000):
        repo = changed_lines(made / f"r{total}", total)
        times = ([], [])
        wall, memory = [], []
        for n in range(options.runs + 1):
            theirs = measured(GIT_DIFF(repo, "HEAD~", "HEAD"))[0]
            mine, spent, peak = measured([ours, "-C", str(repo), "review", "HEAD~..HEAD", *judges])
            if n > 0:
                times[0].append(theirs), times[1].append(mine), wall.append(spent), memory.append(peak)
        if total == 1_000:
            goal = goals.at_most("review of 1,000 lines: CPU", times[1], times[0], factor=3.0, plus=50.0)
            goal += ", " + goals.check("review of 1,000 lines: memory", min(memory) < 40)
        elif total == 50_000:
            goal = goals.check("review of 50,000 lines: time", min(wall) < 2_000)
            goal += ", " + goals.check("review of 50,000 lines: memory", min(memory) < 150)
        else:
            goal = ""
        rows.append((
            f"{total:,}", f"{middle(times[0]):.1f}", f"{middle(times[1]):.1f}", f"{middle(wall):.1f}",
            f"{middle(times[1]) * 1000 / total:.1f}", f"{middle(memory):.1f}", goal,
        ))
    print("## A whole review\n")
    table(("changed lines", "git diff, CPU ms", "review, CPU ms", "wall, ms", "CPU, µs a line", "peak, MiB", "goals"), rows)


def publication(options, goals, made):
    """What is planned of 200 findings on a pull request with 100 comments, without the forge's own time."""
    tool = str(build("--example", "plan") / "examples" / "plan")
    middle, slowest = (int(number) / 1000 for number in output([tool]).split())
    print("## Planning a publication\n")
    table(("200 findings, 100 comments", "median, ms", "slowest of 200, ms", "goal 10 ms"), [
        ("read and planned", f"{middle:.2f}", f"{slowest:.2f}", goals.check("planning a publication", middle < 10)),
    ])


def around(path):
    """About 1,000 lines of Rust changed in 10 files among 60,000, after 400 commits that touch three files each."""
    subprocess.run(["git", "init", "-q", "--bare", "-b", "main", str(path)], check=True, env=ENV)

    def text(n, edited=False):
        out = [f"use crate::m{(n + 1) % 60_000 // 100}::f{(n + 1) % 60_000}::compute_{(n + 1) % 60_000};\n\n"]
        for part in range(3):
            body = lines(n * 3 + part + 1, 30)
            if edited:
                body = [line.replace("let", "let mut") for line in body]
            head = f"pub fn compute_{n}(count: usize) -> usize {{\n" if part == 0 else f"fn part_{n}_{part}() {{\n"
            call = f"    compute_{(n + 1) % 60_000}(count) + shared_{n % 50}()\n" if part == 0 else ""
            out += [head, *body, call, "}\n\n"]
        return "".join(out)

    def place(n):
        return f"src/m{n // 100}/f{n}.rs"

    stream = bytearray()
    history = [{place(n): text(n) for n in range(60_000)}]
    history += [{place((k * 37 + i * 7) % 60_000): text((k * 37 + i * 7) % 60_000) + f"// {k}\n" for i in range(3)} for k in range(400)]
    history.append({place(30_000 + n): text(30_000 + n, edited=True) for n in range(11)})
    for number, files in enumerate(history):
        stream += b"commit refs/heads/main\ncommitter A <a@example.com> %d +0000\n" % (1700000000 + number)
        message = b"Fix overflow (#%d)" % number
        stream += b"data %d\n%s\n" % (len(message), message)
        for name, content in files.items():
            data = content.encode()
            stream += b"M 100644 inline %s\ndata %d\n%s\n" % (name.encode(), len(data), data)
    subprocess.run(["git", "fast-import", "--quiet"], input=bytes(stream), check=True, env=ENV, cwd=path)
    subprocess.run(["git", "gc", "-q"], check=True, env=ENV, cwd=path)
    return path


def brief(options, goals, made):
    """What stands around a change, found and rendered: tree and history of a large repository."""
    tool = str(build("--example", "brief") / "examples" / "brief")
    ranges = [("1,000 lines among 60,000 files, 400 commits", around(made / "around"), "HEAD~", "HEAD")]
    ranges += [(f"{repo.name}, HEAD~1", repo, "HEAD~1", "HEAD") for repo in options.repo]
    rows, lookups = [], []
    for name, repo, old, new in ranges:
        measured, looked_up = output([tool, str(repo), old, new]).decode().strip().splitlines()
        lookups.append((name, *looked_up.split()))
        *times, size, gaps = measured.split(" ", 5)
        look, _, render, _ = (float(time) for time in times)
        kept = goals.check(f"brief of {name}", look + render <= 150)
        rows.append((name, f"{look:.1f}", f"{render:.1f}", f"{int(size) / 1000:.1f}", kept, gaps))
    print("## A filled brief\n")
    table(("range", "look around, ms", "render, ms", "context, kB", "goal 150 ms", "left out"), rows)
    print("## Look-ups that read the whole tree\n")
    table(("range", "search, ms", "again, ms", "symbol, ms", "again, ms"), lookups)


SECTIONS = {"brief": brief, "diff": diff, "startup": startup, "review": review, "publication": publication}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", choices=SECTIONS, action="append", help="a section; all without it")
    parser.add_argument("--repo", type=Path, action="append", default=[], help="a real repository")
    parser.add_argument("--runs", type=int, default=9, help="counted runs of each command (9)")
    options = parser.parse_args()
    version = output(["git", "--version"]).decode().split()[2]
    print(f"git {version}, {os.cpu_count()} cores, {platform.system()} {platform.machine()}, {options.runs} runs each\n")
    goals = Goals()
    with tempfile.TemporaryDirectory(prefix="git-council-bench-") as made:
        for name in options.only or SECTIONS:
            SECTIONS[name](options, goals, Path(made))
    for name in goals.missed:
        print(f"missed: {name}", file=sys.stderr)
    return 1 if goals.missed else 0


if __name__ == "__main__":
    sys.exit(main())
