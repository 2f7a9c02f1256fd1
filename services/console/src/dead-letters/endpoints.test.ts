import t from "tap";
import { FLOW } from "#contract";
import { bury, connectStream, type Stream } from "#nats";
import { makeConsoleLink } from "#publisher-db";
import { createLog } from "#runtime";
import type { Pipeline } from "#test-support";
import { openConsole, Visitor } from "../test-console.ts";
import { poison } from "./test-letters.ts";

const ROUTES = ["groups", "list", "show", "redrive", "discard"].map((name) => `dead-letters/${name}`);
const GROUP = { stream: FLOW.ingest.stream, reason: "poison_event" };

async function openStream(pipeline: Pipeline): Promise<Stream> {
  const log = createLog({ service: "test", level: "silent" });
  return connectStream({ url: pipeline.natsUrl, name: "test", prefix: pipeline.streamPrefix, log });
}

t.test("dead letters through the console - roles, reasons, and the lines of the audit", async (t) => {
  const scene = await openConsole(t);
  const { pipeline, publisher } = scene;
  // Ingest makes the stream of dead letters.
  await pipeline.start("ingest");
  const stream = await openStream(pipeline);
  t.teardown(() => stream.close());
  for (let letter = 0; letter < 3; letter++) await bury(stream, poison(publisher.organisationId));

  await t.test("support may not even look", async (t) => {
    const support = await scene.visitor("support", publisher.organisationId);
    for (const route of ROUTES) {
      t.match(await support.post(route, {}, { reason: "curious" }), { status: 403 }, route);
    }
  });

  await t.test("a console without the operator's user reads letters, and changes none", async (t) => {
    const operator = await scene.visitor("operator");
    t.match(await operator.post("dead-letters/groups"), {
      status: 200,
      body: { groups: [{ ...GROUP, count: 3 }], through: 3, more: false, can_change: false },
    });
    t.match(await operator.post("dead-letters/list", GROUP), {
      status: 200,
      body: { data: [{ sequence: 1 }, { sequence: 2 }, { sequence: 3 }], page: { cursor: null } },
    });
    t.match(await operator.post("dead-letters/discard", { sequences: [1] }, { reason: "a test" }), {
      status: 403,
      body: { error: { data: { reason: "console_nats" } } },
    });
  });

  await t.test("showing a letter is a look-up, whose line names the purchase", async (t) => {
    const operator = await scene.visitor("operator");
    const { status, body } = await operator.post("dead-letters/show", { sequence: 2 });
    t.equal(status, 200);
    t.equal((await operator.post("dead-letters/show", { sequence: 77 })).status, 404);
    const { data } = (await operator.post("audit")).body;
    t.match(data.slice(0, 2), [
      { action: "dead-letters/show", subject: "dead letter 77", outcome: "not_found" },
      { action: "dead-letters/show", subject: `dead letter 2, ${body.event.external_id}`, outcome: "ok" },
    ]);
  });

  await t.test("malformed requests are refused with the name of the field", async (t) => {
    const operator = await scene.visitor("operator");
    for (const [route, body, path] of [
      ["list", { stream: "", reason: "x" }, "/stream"],
      ["list", { stream: "X" }, "/reason"],
      ["list", { ...GROUP, pagination: { cursor: "-1" } }, "/pagination/cursor"],
      ["show", {}, "/sequence"],
      ["show", { sequence: "1" }, "/sequence"],
      ["discard", { sequences: [] }, "/sequences"],
      ["discard", { sequences: [1.5] }, "/sequences"],
      ["discard", GROUP, "/through"],
    ] as const) {
      const answer = await operator.post(`dead-letters/${route}`, body, { reason: "a test" });
      t.match(
        answer,
        { status: 400, body: { error: { data: { issues: [{ path }] } } } },
        JSON.stringify(body),
      );
    }
    t.equal((await operator.post("dead-letters/show", { sequence: 99 })).status, 404);
  });

  await t.test("with the operator's user letters are changed, and each change makes a line", async (t) => {
    const { url } = await scene.start({ STAMPEDE_CONSOLE_OPERATOR_NATS_URL: pipeline.natsUrl });
    const operator = new Visitor(String(url));
    await operator.follow(
      await makeConsoleLink(pipeline.store, String(url), { user: "ada", role: "operator" }),
    );
    t.equal(
      (await operator.post("dead-letters/discard", { sequences: [1] })).status,
      400,
      "without a reason",
    );
    t.match(await operator.post("dead-letters/discard", { sequences: [1] }, { reason: "of a test" }), {
      status: 200,
      body: { done: 1, impossible: 0, cursor: null },
    });
    const rest = { ...GROUP, through: 3 };
    t.match(await operator.post("dead-letters/redrive", rest, { reason: "mended" }), {
      status: 200,
      body: { done: 2 },
    });
    const { data } = (await operator.post("audit")).body;
    t.match(data.toReversed(), [
      { action: "dead-letters/discard", subject: "1: 1 done", reason: "of a test", outcome: "ok" },
      {
        action: "dead-letters/redrive",
        subject: "INGEST poison_event: 2 done",
        reason: "mended",
        outcome: "ok",
      },
    ]);
  });
});
