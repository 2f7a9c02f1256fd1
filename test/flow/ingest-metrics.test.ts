import { randomBytes } from "node:crypto";
import t from "tap";
import { type MetricFamily, readMetricsJson } from "#runtime";
import { makeEvent, PublisherClient, type ServiceProcess, startPipeline } from "#test-support";

t.test("ingest - a message is followed from the stream to the commit, with its first trace id", async (t) => {
  const pipeline = await startPipeline();
  t.teardown(() => pipeline.stop());
  const client = new PublisherClient(pipeline.edge.url, pipeline.publisher.token);
  const [member] = (await client.enrol("ada")) as [string];
  const traceId = randomBytes(16).toString("hex");
  const traceparent = `00-${traceId}-${randomBytes(8).toString("hex")}-01`;
  t.match(await client.ingest([makeEvent(member)], { traceparent }), { status: 200, body: { created: 1 } });

  const families = await scrape(pipeline.ingest);
  const endToEnd = familyOf(families, "stampede_ingest_end_to_end_duration_seconds");
  t.equal(sampleOf(endToEnd, {}, "_count"), 1);
  t.ok((sampleOf(endToEnd, {}, "_sum") as number) > 0, "the commit is later than the storing");
  const exemplars = endToEnd.samples.flatMap(({ exemplar }) => exemplar ?? []);
  t.match(exemplars, [{ labels: { trace_id: traceId } }]);

  t.equal(sampleOf(familyOf(families, "stampede_ingest_events_total"), { result: "created" }), 1);
  for (const step of ["hash", "commit"]) {
    t.equal(
      sampleOf(familyOf(families, "stampede_ingest_step_duration_seconds"), { step }, "_count"),
      1,
      step,
    );
  }
  t.equal(sampleOf(familyOf(families, "stampede_ingest_pool_wait_duration_seconds"), {}, "_count"), 1);
  t.ok((sampleOf(familyOf(families, "stampede_ingest_pool_run_duration_seconds"), {}, "_sum") as number) > 0);
  const partitions = sampleOf(familyOf(families, "stampede_partitions"), {});
  t.equal(sampleOf(familyOf(families, "stampede_partitions_owned"), {}), partitions);
  const { samples } = familyOf(families, "stampede_stream_oldest_message_age_seconds");
  t.strictSame(samples.map(({ labels }) => labels.stream).sort(), ["DEAD", "INGEST_0", "INGEST_1"]);
});

async function scrape(service: ServiceProcess): Promise<MetricFamily[]> {
  return readMetricsJson((await service.ops("/metrics.json")).body);
}

function familyOf(families: readonly MetricFamily[], name: string): MetricFamily {
  const family = families.find((one) => one.name === name);
  if (family === undefined) throw new Error(`no ${name}`);
  return family;
}

/** The value of the sample with these labels. */
function sampleOf(
  { name, samples }: MetricFamily,
  wanted: Record<string, string>,
  suffix = "",
): number | undefined {
  const has = Object.entries(wanted);
  const isWanted = (sample: MetricFamily["samples"][number]) =>
    (sample.name ?? name) === name + suffix && has.every(([label, value]) => sample.labels[label] === value);
  return samples.find(isWanted)?.value;
}
