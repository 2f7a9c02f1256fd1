#!/usr/bin/env node
import { explainFailure } from "./explain-failure.ts";
import { createProgram } from "./program.ts";
import { Terminal } from "./terminal.ts";

const terminal = new Terminal();
const exit = (code: number): void => {
  process.exitCode = code;
};

try {
  await createProgram({ terminal, env: process.env, exit }).parseAsync();
} catch (error) {
  terminal.err(`stampede: ${explainFailure(error)}`);
  exit(1);
}
