import t from "tap";
import { PUBLISHER_API } from "#contract/openapi";
import { encodeId } from "#domain";
import { type FullOrganisation, fillOrganisation, type Pipeline, startPipeline } from "#test-support";
import { KnownValues } from "./known-values.ts";
import { conforms, SEED } from "./run-cases.ts";

const LOOPBACK_TARGETS = {
  STAMPEDE_WEBHOOK_ALLOW_HTTP: "loopback",
  STAMPEDE_WEBHOOK_ALLOW_CIDRS: "127.0.0.0/8",
};
const FOREIGN_MARK = "zqforeignzq";

t.setTimeout(3_600_000);

t.test(`conformance - every answer is as the OpenAPI document says (CONFORMANCE_SEED=${SEED})`, async (t) => {
  const pipeline = await startPipeline({ env: LOOPBACK_TARGETS });
  t.teardown(() => pipeline.stop());
  // Without it `webhook/test` answers 503. No process listens at its target, so each attempt ends at once.
  await pipeline.start("webhooks");
  const { edge, publisher } = pipeline;
  await conforms(t, {
    api: PUBLISHER_API,
    url: edge.url as string,
    token: publisher.token,
    ...(await fillBoth(pipeline)),
    share: 1,
  });
});

/** Makes records for the caller, twice, and for another organisation, whose records must never show. */
async function fillBoth(
  pipeline: Pipeline,
): Promise<{ known: KnownValues; walked: KnownValues; secrets: string[] }> {
  const { publisher, store } = pipeline;
  const [own] = await store<[{ id: string }]>`
    select id from api_tokens where organisation_id = ${publisher.organisationId}`;
  const untouchable = [encodeId("atok", own.id)];
  const theirs = await fillOrganisation(pipeline, await pipeline.newPublisher(), FOREIGN_MARK);
  const known = new KnownValues({ ...theirs, id: theirs.stamp_collection }, untouchable);
  const walked = new KnownValues({}, untouchable);
  for (const values of [known, walked]) addAll(values, await fillOrganisation(pipeline, publisher, "own"));
  return { known, walked, secrets: [FOREIGN_MARK, ...foreignIds(theirs)] };
}

function addAll(values: KnownValues, records: FullOrganisation): void {
  for (const [kind, value] of Object.entries(records)) values.add(kind, value);
  // Records about which `id/resolve` has something to say.
  for (const id of [records.stamp_collection, records.clip, records.event]) values.add("id", id);
}

/** Without records of no organisation, and without texts that the caller may well use for its own records. */
function foreignIds({ loyalty_program, deal, ref, external_id, ...ids }: FullOrganisation): string[] {
  return Object.values(ids);
}
