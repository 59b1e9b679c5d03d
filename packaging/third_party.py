#!/usr/bin/env python3
"""What a release says of the crates in it: their licences' texts, and a bill of materials.

    packaging/third_party.py TARGET NOTICES SBOM

Reads `cargo metadata` for the target, follows what the program is built from (no tests), and writes THIRD-PARTY.txt and a
CycloneDX 1.5 document. A crate without a licence ends it with 1. Needs the crates' sources, which a build has fetched, and no
network.
"""

import hashlib
import json
import pathlib
import subprocess
import sys

NAMES = ("license", "licence", "copying", "notice", "copyright", "unlicense")
# Written where a crate brings no text of its own: the words of its licence stand elsewhere in the list.
NO_TEXT = "(the package has no licence file; its manifest names the licence above)\n"


def metadata(target):
    command = ["cargo", "metadata", "--format-version", "1", "--locked", "--filter-platform", target]
    return json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout)


def built_from(meta, root="git-council"):
    """The packages that the program is built from, by id: dependencies and build scripts, no tests."""
    packages = {package["id"]: package for package in meta["packages"]}
    nodes = {node["id"]: node for node in meta["resolve"]["nodes"]}
    open_ids = [id for id in meta["workspace_members"] if packages[id]["name"] == root]
    found = set()
    while open_ids:
        id = open_ids.pop()
        if id in found:
            continue
        found.add(id)
        for dep in nodes[id]["deps"]:
            if any(kind["kind"] in (None, "build") for kind in dep["dep_kinds"]):
                open_ids.append(dep["pkg"])
    edges = {id: sorted(d["pkg"] for d in nodes[id]["deps"] if d["pkg"] in found) for id in found}
    return [packages[id] for id in sorted(found)], edges


def licence_texts(package):
    folder = pathlib.Path(package["manifest_path"]).parent
    files = [f for f in folder.iterdir() if f.is_file() and f.name.lower().startswith(NAMES)]
    if package.get("license_file"):
        files.append(folder / package["license_file"])
    return [f.read_text("utf-8", "replace").strip() for f in sorted(set(files)) if f.is_file()]


def notices(packages):
    """Every foreign crate with its licence, and each text once, with whose it is."""
    foreign = sorted((p for p in packages if p["source"]), key=lambda p: (p["name"], p["version"]))
    lacking = [p["name"] for p in foreign if not (p.get("license") or p.get("license_file"))]
    if lacking:
        sys.exit("no licence: %s" % ", ".join(lacking))
    out = ["git-council is built from these packages, under these licences:\n"]
    by_text = {}
    for package in foreign:
        name = "%s %s" % (package["name"], package["version"])
        out.append("  %s: %s" % (name, package.get("license") or "see its text"))
        for text in licence_texts(package) or [NO_TEXT]:
            by_text.setdefault(text, []).append(name)
    for text, names in sorted(by_text.items(), key=lambda pair: pair[1]):
        out.append("\n" + "-" * 80 + "\n%s\n\n%s" % (", ".join(names), text))
    return "\n".join(out) + "\n"


def purl(package):
    return "pkg:cargo/%s@%s" % (package["name"], package["version"])


def sbom(packages, edges, target):
    by_id = {p["id"]: p for p in packages}
    root = next(p for p in packages if p["name"] == "git-council")
    component = lambda p, kind: {
        "type": kind, "bom-ref": purl(p), "name": p["name"], "version": p["version"], "purl": purl(p),
        "licenses": [{"expression": p["license"]}] if p.get("license") else []}
    body = {
        "bomFormat": "CycloneDX", "specVersion": "1.5", "version": 1,
        "metadata": {"component": component(root, "application"), "properties": [{"name": "target", "value": target}]},
        "components": [component(p, "library") for p in packages if p is not root],
        "dependencies": [{"ref": purl(by_id[id]), "dependsOn": [purl(by_id[d]) for d in edges[id]]} for id in sorted(edges)],
    }
    # The same sources give the same document: no clock, and the serial number is made of what it lists.
    serial = hashlib.sha256(json.dumps(body, sort_keys=True).encode()).hexdigest()
    body["serialNumber"] = "urn:uuid:%s-%s-4%s-8%s-%s" % (serial[:8], serial[8:12], serial[13:16], serial[17:20], serial[20:32])
    return json.dumps(body, indent=1, sort_keys=True) + "\n"


def main(target, notices_file, sbom_file):
    packages, edges = built_from(metadata(target))
    pathlib.Path(notices_file).write_text(notices(packages))
    pathlib.Path(sbom_file).write_text(sbom(packages, edges, target))


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    main(*sys.argv[1:])
