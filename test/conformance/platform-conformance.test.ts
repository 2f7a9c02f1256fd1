import t from "tap";
import { PLATFORM_API } from "#contract/platform";
import { startPipeline } from "#test-support";
import { KnownValues } from "./known-values.ts";
import { conforms, SEED } from "./run-cases.ts";

t.setTimeout(3_600_000);

t.test(
  `platform conformance - every answer is as the OpenAPI document says (CONFORMANCE_SEED=${SEED})`,
  async (t) => {
    const pipeline = await startPipeline({ begin: [] });
    t.teardown(() => pipeline.stop());
    const platform = await pipeline.start("platform");
    await conforms(t, {
      api: PLATFORM_API,
      url: platform.url as string,
      token: await pipeline.newPlatformToken(),
      known: new KnownValues({}, []),
      walked: new KnownValues({}, []),
      secrets: [],
      share: 0.4,
    });
  },
);
