/** Logs to standard output what its parent says, until the parent ends it. */
import { createLog } from "./log.ts";

const log = createLog({ service: "test", level: "info" });
process.on("message", (line: string) => {
  log.info(line);
  log.flush(() => process.send?.(line));
});
