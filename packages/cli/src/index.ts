/** The `stampede` command, apart from the process it runs in. */
export { CommandError } from "./command-error.ts";
export { type DemoOptions, runDemo } from "./demo/run-demo.ts";
export { createProgram } from "./program.ts";
export { type Output, Terminal } from "./terminal.ts";
