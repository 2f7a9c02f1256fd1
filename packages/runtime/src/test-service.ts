/**
 * A service for tests, in a separate process. It reports to its parent when its start has begun; it finishes
 * its start, or fails, when the parent says so.
 */
import { runService } from "./service.ts";
import { StartError } from "./start-error.ts";

/** serve, take-away: the server that it needs is there, or is not. At first it is there. */
export type ToTestService = { kind: "go-on" } | { kind: "fail" } | { kind: "serve" } | { kind: "take-away" };

const away = new StartError("away", "it is away", { passes: true });
let isServed = process.env.TEST_SERVER !== "away";
process.on("message", ({ kind }: ToTestService) => {
  if (kind === "serve") isServed = true;
});

await runService("test", async ({ waiting }) => {
  const ask = async () => {
    if (!isServed) throw away;
  };
  await waiting.until("the server", ask, (error) => error === away);
  await new Promise<void>((resolve, reject) => {
    process.on("message", ({ kind }: ToTestService) => {
      if (kind === "go-on") resolve();
      if (kind === "fail") reject(new Error("it cannot start"));
      if (kind === "take-away") reject(away);
    });
    // If the parent is gone, it cannot answer: the start continues.
    process.on("disconnect", resolve);
    process.send?.({ kind: "begun" });
  });
  return {
    stop: async () => {
      process.stdout.write("cleaned up\n");
    },
  };
});
