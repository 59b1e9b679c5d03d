#!/usr/bin/env node
// Starts the program of this platform, which npm has installed as an optional dependency.
"use strict";

const { spawn } = require("node:child_process");

const platform = `${process.platform}-${process.arch}`;

function programPath() {
  try {
    return require.resolve(`@git-council/${platform}/bin/git-council`);
  } catch {
    const why = process.platform === "win32"
      ? "there is no program for Windows yet: use it inside of WSL"
      : `npm has not installed @git-council/${platform}: install without --omit=optional, or see docs/install.md`;
    console.error(`git-council: ${why}`);
    process.exit(2);
  }
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
