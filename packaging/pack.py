#!/usr/bin/env python3
"""Packs a program that was built: an archive, a wheel, two npm packages and, for Linux, a Debian package.

    packaging/pack.py PROGRAM TARGET OUT
    packaging/pack.py --glibc PROGRAM VERSION      ends with 1 if the program needs a newer glibc than that

Needs Python, `cargo metadata`, and `dpkg-deb` for the Debian package. The same program gives the same files: every time in
them is SOURCE_DATE_EPOCH, else that of the last commit. The program must start on this machine: it prints its own man page
and completions, except where MAN and COMPLETIONS name folders in which another machine has put them.
"""

import base64
import gzip
import hashlib
import io
import json
import lzma
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import zipfile

ROOT = pathlib.Path(__file__).resolve().parents[1]
HERE = ROOT / "packaging"
ABOUT = "Several independent judges review a change and give one verdict"
URL = "https://github.com/git-council/git-council"
SHELLS = {"bash": "git-council", "zsh": "_git-council", "fish": "git-council.fish"}
# target: (npm's os, npm's cpu, Debian's architecture)
TARGETS = {
    "x86_64-unknown-linux-gnu": ("linux", "x64", "amd64"),
    "aarch64-unknown-linux-gnu": ("linux", "arm64", "arm64"),
    "x86_64-apple-darwin": ("darwin", "x64", None),
    "aarch64-apple-darwin": ("darwin", "arm64", None),
}


def version():
    text = (ROOT / "Cargo.toml").read_text()
    return re.search(r'^version = "([^"]+)"', text, re.M).group(1)


def epoch():
    told = os.environ.get("SOURCE_DATE_EPOCH")
    return int(told or subprocess.run(["git", "log", "-1", "--format=%ct"], cwd=ROOT, check=True, stdout=subprocess.PIPE).stdout)


def needed_glibc(program):
    """The newest version of glibc whose symbols the program uses; none: it uses no glibc."""
    found = re.findall(rb"GLIBC_(\d+)\.(\d+)(?:\.\d+)?\0", program.read_bytes())
    return max(((int(a), int(b)) for a, b in found), default=None)


def wheel_tag(target, program):
    cpu = target.split("-")[0]
    if "apple" in target:
        # What build.sh sets as MACOSX_DEPLOYMENT_TARGET.
        return "macosx_11_0_" + ("arm64" if cpu == "aarch64" else "x86_64")
    major, minor = max(needed_glibc(program) or (2, 17), (2, 17))
    return "manylinux_%d_%d_%s" % (major, minor, cpu)


def say(program, *args):
    return subprocess.run([program, *args], check=True, stdout=subprocess.PIPE, env={**os.environ, "NO_COLOR": "1"}).stdout


def documents(program, target, folder):
    """Everything beside the program, by its path in the archive."""
    notices, sbom = folder / "THIRD-PARTY.txt", folder / "sbom.cdx.json"
    subprocess.run([sys.executable, HERE / "third_party.py", target, notices, sbom], cwd=ROOT, check=True)
    files = {name: (ROOT / name).read_bytes() for name in ["LICENSE-APACHE", "LICENSE-MIT", "README.md"]}
    files["THIRD-PARTY.txt"] = notices.read_bytes()
    man = os.environ.get("MAN")
    files["man/man1/git-council.1"] = pathlib.Path(man, "git-council.1").read_bytes() if man else say(program, "man")
    made = os.environ.get("COMPLETIONS")
    for shell, name in SHELLS.items():
        files["completions/" + name] = pathlib.Path(made, name).read_bytes() if made else say(program, "completions", shell)
    return files, sbom.read_bytes()


def plain_tar(files, time):
    """A tar of (path, bytes, mode), the same bytes for the same files."""
    plain = io.BytesIO()
    with tarfile.open(fileobj=plain, mode="w", format=tarfile.PAX_FORMAT) as tar:
        for path, data, mode in files:
            info = tarfile.TarInfo(path)
            info.size, info.mode, info.mtime = len(data), mode, time
            tar.addfile(info, io.BytesIO(data))
    return plain.getvalue()


def tar_gz(files, time):
    packed = io.BytesIO()
    with gzip.GzipFile(fileobj=packed, mode="wb", compresslevel=9, mtime=0) as zipped:
        zipped.write(plain_tar(files, time))
    return packed.getvalue()


def tar_xz(files, time, target):
    """The program is nearly all of it: a filter for the jumps of its processor makes it a tenth smaller."""
    jumps = [{"id": lzma.FILTER_X86}] if target.startswith("x86_64") else []
    filters = [*jumps, {"id": lzma.FILTER_LZMA2, "preset": 9 | lzma.PRESET_EXTREME}]
    return lzma.compress(plain_tar(files, time), format=lzma.FORMAT_XZ, check=lzma.CHECK_CRC32, filters=filters)


def archive(program, docs, time, target):
    rest = [(path, data, 0o644) for path, data in sorted(docs.items())]
    return tar_xz([("git-council", program.read_bytes(), 0o755), *rest], time, target)


def wheel(program, docs, target, out):
    tag, name = wheel_tag(target, program), "git_council-%s" % version()
    info = name + ".dist-info/"
    files = {
        name + ".data/scripts/git-council": program.read_bytes(),
        name + ".data/data/share/man/man1/git-council.1": docs["man/man1/git-council.1"],
        info + "METADATA": ("Metadata-Version: 2.4\nName: git-council\nVersion: %s\nSummary: %s\nHome-page: %s\n"
                            "License-Expression: MIT OR Apache-2.0\nRequires-Python: >=3.8\n"
                            "Description-Content-Type: text/markdown\n\n" % (version(), ABOUT, URL)).encode() + docs["README.md"],
        info + "WHEEL": ("Wheel-Version: 1.0\nGenerator: git-council\nRoot-Is-Purelib: false\nTag: py3-none-%s\n" % tag).encode(),
    }
    for licence in ["LICENSE-APACHE", "LICENSE-MIT", "THIRD-PARTY.txt"]:
        files[info + "licenses/" + licence] = docs[licence]
    record = ""
    for path, data in files.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
        record += "%s,sha256=%s,%d\n" % (path, digest, len(data))
    files[info + "RECORD"] = (record + info + "RECORD,,\n").encode()
    file = out / ("%s-py3-none-%s.whl" % (name, tag))
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as zipped:
        for path, data in files.items():
            entry = zipfile.ZipInfo(path, (1980, 1, 1, 0, 0, 0))
            entry.compress_type, entry.create_system = zipfile.ZIP_DEFLATED, 3
            entry.external_attr = (0o100755 if "/scripts/" in path else 0o100644) << 16
            zipped.writestr(entry, data)
    return file


def npm(program, docs, target, out, time):
    """The package of one platform, and the one that people ask for, which has those of all platforms as options."""
    system, cpu, _ = TARGETS[target]
    common = {"version": version(), "license": "MIT OR Apache-2.0", "homepage": URL, "repository": {"type": "git", "url": "git+%s.git" % URL}}
    names = {"%s-%s" % (os, cpu): "@git-council/%s-%s" % (os, cpu) for os, cpu, _ in TARGETS.values()}
    own = "%s-%s" % (system, cpu)
    licences = [("package/" + name, docs[name], 0o644) for name in ["LICENSE-APACHE", "LICENSE-MIT"]]
    third_party = ("package/THIRD-PARTY.txt", docs["THIRD-PARTY.txt"], 0o644)
    libc = {"libc": ["glibc"]} if system == "linux" else {}
    platform = {"name": names[own], "description": "%s (%s)" % (ABOUT, own), **common, "os": [system], "cpu": [cpu], **libc,
                "preferUnplugged": True}
    root = {"name": "git-council", "description": ABOUT, **common, "bin": {"git-council": "git-council.js"},
            "engines": {"node": ">=18"}, "optionalDependencies": {name: version() for name in sorted(names.values())}}
    as_file = lambda value: ("package/package.json", (json.dumps(value, indent=2) + "\n").encode(), 0o644)
    packed = {
        "git-council-%s-%s.tgz" % (own, version()): [as_file(platform), ("package/bin/git-council", program.read_bytes(), 0o755),
                                                  *licences, third_party],
        # The same bytes whatever the target is: it holds nothing of other people's, and every job of a release packs it.
        "git-council-%s.tgz" % version(): [as_file(root), ("package/git-council.js", (HERE / "npm" / "git-council.js").read_bytes(), 0o755),
                                           ("package/README.md", docs["README.md"], 0o644), *licences],
    }
    for name, files in packed.items():
        (out / name).write_bytes(tar_gz(files, time))
    return [out / name for name in packed]


def debian(program, docs, target, out, time):
    architecture = TARGETS[target][2]
    major, minor = max(needed_glibc(program) or (2, 17), (2, 17))
    share = "usr/share/"
    files = {
        "usr/bin/git-council": program.read_bytes(),
        share + "man/man1/git-council.1.gz": gzip.compress(docs["man/man1/git-council.1"], 9, mtime=0),
        share + "bash-completion/completions/git-council": docs["completions/git-council"],
        share + "zsh/vendor-completions/_git-council": docs["completions/_git-council"],
        share + "fish/vendor_completions.d/git-council.fish": docs["completions/git-council.fish"],
        share + "doc/git-council/copyright": b"git-council is under MIT or Apache-2.0, as you like.\n\n" + docs["LICENSE-MIT"]
        + b"\nApache-2.0: /usr/share/common-licenses/Apache-2.0\n",
        share + "doc/git-council/THIRD-PARTY.txt.gz": gzip.compress(docs["THIRD-PARTY.txt"], 9, mtime=0),
        share + "doc/git-council/changelog.gz": gzip.compress((ROOT / "CHANGELOG.md").read_bytes(), 9, mtime=0),
    }
    size = sum(len(data) for data in files.values()) // 1024 + 1
    control = ("Package: git-council\nVersion: %s\nArchitecture: %s\nMaintainer: git-council <noreply@git-council.invalid>\n"
               "Installed-Size: %d\nDepends: libc6 (>= %d.%d), libgcc-s1\nRecommends: git\nSection: vcs\nPriority: optional\n"
               "Homepage: %s\nDescription: %s\n The program runs as `git council`. It needs no model and no account to start.\n"
               % (version(), architecture, size, major, minor, URL, ABOUT))
    file = out / ("git-council_%s_%s.deb" % (version(), architecture))
    with tempfile.TemporaryDirectory() as folder:
        tree = pathlib.Path(folder)
        for path, data in {**files, "DEBIAN/control": control.encode()}.items():
            (tree / path).parent.mkdir(parents=True, exist_ok=True)
            (tree / path).write_bytes(data)
            (tree / path).chmod(0o755 if path.startswith("usr/bin/") else 0o644)
        for place in [tree, *tree.rglob("*")]:
            if place.is_dir():
                place.chmod(0o755)
        subprocess.run(["dpkg-deb", "--root-owner-group", "-Zxz", "--build", tree, file], check=True,
                       stdout=subprocess.DEVNULL, env={**os.environ, "SOURCE_DATE_EPOCH": str(time)})
    return file


def check_glibc(program, allowed):
    needed = needed_glibc(pathlib.Path(program)) or (0, 0)
    if needed > tuple(int(part) for part in allowed.split(".")):
        sys.exit("%s needs glibc %d.%d, and no more than %s may be needed" % (program, *needed, allowed))
    print("glibc     ok: %d.%d is needed" % needed)


def main(program, target, out):
    program, out, time = pathlib.Path(program).resolve(), pathlib.Path(out).resolve(), epoch()
    if target not in TARGETS:
        sys.exit("there is no release for %s; there are %s" % (target, ", ".join(TARGETS)))
    out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        docs, sbom = documents(program, target, pathlib.Path(folder))
    stem = "git-council-%s-%s" % (version(), target)
    made = [out / (stem + ".tar.xz"), out / (stem + ".cdx.json")]
    made[0].write_bytes(archive(program, docs, time, target))
    made[1].write_bytes(sbom)
    made += [wheel(program, docs, target, out), *npm(program, docs, target, out, time)]
    if TARGETS[target][2] and shutil.which("dpkg-deb"):
        made.append(debian(program, docs, target, out, time))
    for file in made:
        print("%10d  %s" % (file.stat().st_size, file.name))


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    if sys.argv[1] == "--glibc":
        sys.exit(check_glibc(*sys.argv[2:]))
    main(*sys.argv[1:])
