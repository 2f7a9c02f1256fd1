#!/usr/bin/env node
import { plainService, runService } from "./service-commands.ts";

const service = plainService(process.argv.slice(2));
if (service === undefined) {
  const { runCommand } = await import("./program.ts");
  await runCommand();
} else {
  // Without loading the other commands, the SDK and the demo, which take 0.13 s to load and 7 MiB for as long
  // as the process lives.
  await runService(service);
}
