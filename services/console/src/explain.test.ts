import t from "tap";
import { encodeId } from "#domain";
import { makeEvent, PublisherClient, waitFor } from "#test-support";
import { openConsole, Visitor } from "./test-console.ts";

t.test("explain - explains purchases of the caller's organisation only", async (t) => {
  let other = { organisationId: "", token: "" };
  const scene = await openConsole(t, {}, async (pipeline) => {
    other = await pipeline.newPublisher();
    return [pipeline.publisher.token, other.token];
  });
  const { pipeline, publisher } = scene;
  const [platform] = await Promise.all([pipeline.start("platform"), pipeline.start("ingest")]);
  const platformToken = await pipeline.newPlatformToken();
  const integrator = new PublisherClient(pipeline.edge.url, publisher.token);
  const [member] = (await integrator.enrol("ada")) as [string];
  const event = makeEvent(member, { merchant_id: "NOBODYS-1", authed_at: new Date().toISOString() });
  t.equal((await integrator.ingest([event])).status, 200);
  const { url } = await scene.start({
    STAMPEDE_CONSOLE_PLATFORM_URL: platform.url,
    STAMPEDE_CONSOLE_PLATFORM_TOKEN: platformToken,
  });
  const support = await scene.visitor("support", publisher.organisationId);
  const without = await support.post("explain", { external_id: event.external_id });
  t.match(
    without,
    { status: 404, body: { error: { data: { reason: "no_platform" } } } },
    "without its token",
  );

  const { cookie } = await scene.visitor("operator");
  const operator = new Visitor(url, cookie);
  const explain = (organisationId: string) =>
    operator.post(
      "explain",
      { external_id: event.external_id },
      { organisation: encodeId("org", organisationId) },
    );
  await waitFor(async () => (await explain(publisher.organisationId)).status === 200, {
    message: "it is traced",
  });
  const { body } = await explain(publisher.organisationId);
  t.match(body, { purchase: { merchant_id: "NOBODYS-1" }, routing: { outcome: "unknown_merchant" } });
  t.match(await explain(other.organisationId), { status: 404, body: { error: { code: "not_found" } } });
  const { data } = (await operator.post("audit")).body;
  const line = { action: "explain", subject: event.external_id };
  t.match(data.slice(0, 2), [
    { ...line, organisation: encodeId("org", other.organisationId), outcome: "not_found" },
    { ...line, organisation: encodeId("org", publisher.organisationId), outcome: "ok" },
  ]);
});
