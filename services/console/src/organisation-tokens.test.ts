import t from "tap";
import { encodeId } from "#domain";
import { PublisherClient, waitFor } from "#test-support";
import { openConsole, Visitor } from "./test-console.ts";

t.test(
  "tokens - are replaced by setting both for a while: the newer one is used, and the older one ends",
  async (t) => {
    const scene = await openConsole(t);
    const other = await scene.pipeline.newPublisher("read");
    await scene.pipeline.store`
      update api_tokens set expires_at = now() - interval '1 second'
      where organisation_id = ${other.organisationId}`;
    const { pipeline, publisher } = scene;
    const admin = new PublisherClient(pipeline.edge.url, publisher.token);
    const newToken = async (access: "read" | "write") => {
      const { status, body } = await admin.post("api-token/create", {
        access,
        description: "of the console",
      });
      t.equal(status, 200);
      return body as { id: string; token: string };
    };
    const [older, newer] = [await newToken("read"), await newToken("read")];
    const ada = await scene.visitor("operator");
    const started = await scene.start({ STAMPEDE_CONSOLE_TOKENS: `${newer.token},${older.token}` });
    const visitor = new Visitor(started.url, ada.cookie);
    t.match(await admin.post("api-token/revoke", { id: older.id }), { status: 200 });
    t.equal(
      (await visitor.post("publisher.v1/webhook/list")).status,
      200,
      "although it was started with both",
    );
    await started.stop();

    t.match(await admin.post("api-token/revoke", { id: newer.id }), { status: 200 });
    const late = await scene.start({
      STAMPEDE_CONSOLE_TOKENS: [publisher.token, newer.token, other.token].join("\n"),
    });
    const later = new Visitor(late.url, ada.cookie);
    t.equal((await later.post("publisher.v1/webhook/list")).status, 200, "an ended token is skipped");
    const { organisations } = (await later.post("session")).body;
    t.strictSame(
      organisations.map(({ id }: { id: string }) => id),
      [encodeId("org", publisher.organisationId)],
      "an organisation is absent if its only token has expired",
    );
    await waitFor(() => late.output().includes("a token of STAMPEDE_CONSOLE_TOKENS does not count"), {
      message: "nothing was said of it",
    });
    t.notMatch(late.output(), newer.token, "and its secret is in no log");
  },
);
