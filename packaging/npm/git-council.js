#!/usr/bin/env node
// Starts the program of this platform, which npm has installed as an optional dependency.
"use strict";

const { spawn } = require("node:child_process");

const platform = `${process.platform}-${process.arch}`;

function programPath() {
  try {
    return require.resolve(`@git-council/${platform}/bin/git-council`);
  } catch {
    console.error(`git-council: ${reasonForNone()}`);
    process.exit(2);
  }
}

function reasonForNone() {
  if (process.platform === "win32") return "there is no program for Windows yet: use it inside of WSL";
  // npm installs none there, whatever its flags: the program needs glibc.
  if (process.platform === "linux" && !process.report.getReport().header.glibcVersionRuntime) {
    return "there is no program for musl (Alpine) yet: use a system with glibc, such as Debian";
  }
  return `npm has not installed @git-council/${platform}: install without --omit=optional, or see docs/install.md`;
}

const child = spawn(programPath(), process.argv.slice(2), { stdio: "inherit" });
// The terminal sends its signals to the program, too; whoever signals this process alone means the program.
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) {
  process.on(signal, () => child.kill(signal));
}
child.on("error", (error) => {
  console.error(`git-council: ${error.message}`);
  process.exit(2);
});
child.on("exit", (code, signal) => {
  if (signal) {
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
  } else {
    process.exit(code);
  }
});
