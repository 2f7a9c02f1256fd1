/*
 * For `node --import`, or imported before tap. tap makes Node report every promise and timer, so that it can name
 * the test in which an uncaught error began; that takes a third of the CPU time of tests that wait for much. Without
 * it such an error ends the process: its file fails, and the report has the stack.
 */
import asyncHooks, { type AsyncHook } from "node:async_hooks";
import { syncBuiltinESMExports } from "node:module";

const nothing: AsyncHook = { enable: () => nothing, disable: () => nothing };
Object.assign(asyncHooks, { createHook: () => nothing });
syncBuiltinESMExports();
