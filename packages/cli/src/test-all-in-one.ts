import t, { type Test } from "tap";
import { type Pipeline, startPipeline } from "#test-support";
import { writeRunFile } from "./test-run-file.ts";

/** A pipeline with every service that commands take for an all-in-one. */
export interface TestAllInOne {
  readonly pipeline: Pipeline;
  readonly platformUrl: string;
  readonly platformToken: string;
  /** Makes a data directory as its start leaves it; `consoleUrl` as if it had a console. */
  dataDirectory(t: Test, more?: { readonly consoleUrl: string }): string;
}

/** For tests: starts one that ends with the file. It delivers webhooks on this machine. */
export async function startTestAllInOne(): Promise<TestAllInOne> {
  const pipeline = await startPipeline({
    env: { STAMPEDE_WEBHOOK_ALLOW_HTTP: "loopback", STAMPEDE_WEBHOOK_ALLOW_CIDRS: "127.0.0.0/8" },
  });
  t.teardown(() => pipeline.stop());
  const [platform] = await Promise.all([
    pipeline.start("platform"),
    pipeline.start("rewards"),
    pipeline.start("webhooks"),
  ]);
  const platformUrl = platform.url ?? "";
  const platformToken = await pipeline.newPlatformToken();
  const { databaseUrl, natsUrl, edge, publisher } = pipeline;
  return {
    pipeline,
    platformUrl,
    platformToken,
    dataDirectory: (t, more) => {
      const dataDir = t.testdir({ token: publisher.token, "platform-token": platformToken });
      const servers = { databaseUrl, natsUrl, platformDatabaseUrl: databaseUrl };
      writeRunFile(dataDir, { publisherUrl: edge.url, platformUrl, ...servers, ...more });
      return dataDir;
    },
  };
}
