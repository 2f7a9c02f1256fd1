/** The `stampede` command, apart from the process it runs in. */
export { CommandError } from "./command-error.ts";
export { createProgram } from "./program.ts";
export { type Output, Terminal } from "./terminal.ts";
