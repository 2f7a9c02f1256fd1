/** Logs its parent's messages to standard output, until the parent ends it. */
import { createLog } from "./log.ts";

const log = createLog({ service: "test", level: "info" });
process.on("message", (line: string) => {
  log.info(line);
  log.flush(() => process.send?.(line));
});
