/**
 * A service for tests, as a process of its own: it says when its start has begun, and is up, or fails, when its parent says
 * so.
 */
import { runService } from "./service.ts";

export type ToTestService = { kind: "go-on" } | { kind: "fail" };

await runService("test", async () => {
  await new Promise<void>((resolve, reject) => {
    process.on("message", ({ kind }: ToTestService) => {
      if (kind === "go-on") resolve();
      if (kind === "fail") reject(new Error("it cannot start"));
    });
    // With nobody left to say so, it goes on.
    process.on("disconnect", resolve);
    process.send?.({ kind: "begun" });
  });
  return {
    stop: async () => {
      process.stdout.write("cleaned up\n");
    },
  };
});
