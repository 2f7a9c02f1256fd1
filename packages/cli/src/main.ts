#!/usr/bin/env node
import { plainService, runService } from "./service-commands.ts";

const service = plainService(process.argv.slice(2));
if (service === undefined) {
  const { runCommand } = await import("./program.ts");
  await runCommand();
} else {
  // Without the other commands, the SDK and the demo: they take 0.13 s to load, and 7 MiB while the process lives.
  await runService(service);
}
