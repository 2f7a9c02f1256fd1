import { randomBytes } from "node:crypto";
import t from "tap";
import { decodeId, webhookSecretBytes, webhookSecretContext } from "#domain";
import { makeEncryptionKey, SecretBox } from "#runtime";
import { dumpEveryRow, type Pipeline, PublisherClient, type RawAnswer, startPipeline } from "#test-support";
import { loadWebhookSecrets } from "../../services/webhooks/src/test-webhook-secrets.ts";

const KEYS = makeEncryptionKey(new Date());
const NEW = { url: "https://example.com/hooks", events: ["cashback.created"] };
const UNKNOWN = "whk_01h455vb4pex5vsknk084sn02q";
const NOT_FOUND = { status: 404, body: { error: { code: "not_found", data: { resource: "webhook" } } } };
const SECRET = /^whsec_[A-Za-z0-9+/]{43}=$/;

let pipeline: Pipeline;
let client: PublisherClient;
/** The answers that contain a secret; at the end the test searches for these secrets elsewhere. */
const secrets: string[] = [];
/** All answers that must contain none. */
const shown: RawAnswer[] = [];

t.before(async () => {
  pipeline = await startPipeline({ env: { STAMPEDE_LOG_LEVEL: "trace", STAMPEDE_ENCRYPTION_KEYS: KEYS } });
  client = new PublisherClient(pipeline.edge.url, pipeline.publisher.token);
});
t.teardown(() => pipeline.stop());

/** Calls a route whose answer contains no secret. */
async function ask(route: string, body: object, as = client): Promise<RawAnswer> {
  const answer = await as.post(route, body);
  shown.push(answer);
  return answer;
}

async function create(fields: object = {}, as = client): Promise<RawAnswer> {
  const answer = await as.post("webhook/create", { ...NEW, ...fields });
  if (answer.status === 200) secrets.push(answer.body.secret);
  return answer;
}

async function rotate(body: object, as = client): Promise<RawAnswer> {
  const answer = await as.post("webhook/rotate-secret", body);
  if (answer.status === 200) secrets.push(answer.body.secret);
  return answer;
}

/** The secrets that would sign a delivery, opened with the key in the environment. */
async function signing(id: string): Promise<string[]> {
  const uuid = decodeId("whk", id) as string;
  const sealed = await loadWebhookSecrets(pipeline.store, uuid);
  const box = new SecretBox(KEYS);
  return sealed.map((one) =>
    Buffer.from(box.open(one, webhookSecretContext(uuid, one.id))).toString("base64"),
  );
}

const bytesOf = (...given: string[]) =>
  given.map((secret) => Buffer.from(webhookSecretBytes(secret)).toString("base64"));

t.test("a webhook is made with a secret that only this answer has, and read back without", async (t) => {
  const { status, body } = await create();
  t.equal(status, 200);
  t.match(body, { ...NEW, id: /^whk_/, description: "", state: "enabled", secret: SECRET });
  const { secret, ...webhook } = body;
  t.strictSame(Object.keys(webhook).sort(), [
    "created_at",
    "description",
    "events",
    "id",
    "state",
    "updated_at",
    "url",
  ]);
  t.strictSame((await ask("webhook/get", { id: webhook.id })).body, { ...webhook, pending_events: 0 });
  t.strictSame(await signing(webhook.id), bytesOf(secret));
  t.not((await create()).body.secret, secret, "another webhook has another secret");
});

t.test("an integrator may choose a secret", async (t) => {
  const own = `whsec_${randomBytes(24).toString("base64")}`;
  const created = await create({
    secret: own,
    description: "Kassensystem",
    events: ["transaction.rejected"],
  });
  t.match(created.body, { secret: own, description: "Kassensystem", events: ["transaction.rejected"] });
  t.strictSame(await signing(created.body.id), bytesOf(own));
  const short = `whsec_${randomBytes(20).toString("base64")}`;
  secrets.push(short);
  t.match(await ask("webhook/create", { ...NEW, secret: short }), {
    status: 400,
    body: { error: { data: { issues: [{ path: "/secret" }] } } },
  });
});

t.test("a URL that must not be delivered to is refused, at creation and in an update", async (t) => {
  const { body } = await create();
  for (const [url, says] of [
    ["http://example.com/hooks", /must begin with https:\/\//],
    ["https://127.0.0.1/", /not public/],
    ["https://0x7f.1/", /not public/],
    ["https://[::ffff:169.254.169.254]/", /not public/],
    ["https://localhost:9000/", /not public/],
    ["https://hooks.internal/", /name of a local network/],
    ["https://user@example.com/", /user name or password/],
    ["https://example.com/#part", /fragment/],
    ["example.com", /absolute https URL/],
  ] as const) {
    for (const answer of [
      await ask("webhook/create", { ...NEW, url }),
      await ask("webhook/update", { id: body.id, url }),
    ]) {
      const { code, message, data } = answer.body.error;
      t.equal(answer.status, 400, url);
      t.equal(code, "bad_request");
      t.equal(data.issues[0].path, "/url");
      t.match(data.issues[0].message, says);
      t.equal(message, `/url ${data.issues[0].message}`);
    }
  }
  t.equal((await ask("webhook/get", { id: body.id })).body.url, NEW.url);
});

t.test("a target that the operator permits is accepted, and no other", async (t) => {
  const open = await pipeline.start("edge", {
    STAMPEDE_WEBHOOK_ALLOW_HTTP: "loopback",
    STAMPEDE_WEBHOOK_ALLOW_CIDRS: "127.0.0.0/8,::1/128,10.1.0.0/16",
  });
  const user = new PublisherClient(open.url, pipeline.publisher.token);
  for (const url of ["http://127.0.0.1:9000/hooks", "http://localhost:9000/", "https://10.1.2.3/"]) {
    t.match(await create({ url }, user), { status: 200, body: { url } });
  }
  for (const url of [
    "http://example.com/",
    "http://10.1.2.3/",
    "https://10.2.0.1/",
    "https://169.254.169.254/",
  ]) {
    t.match(await ask("webhook/create", { ...NEW, url }, user), { status: 400 }, url);
  }
});

t.test("an update changes what it names; enabling a disabled webhook resets its failures", async (t) => {
  const { secret, ...webhook } = (await create({ description: "before" })).body;
  const change = { url: "https://example.com/other", events: ["transaction.rejected", "cashback.cleared"] };
  const updated = await ask("webhook/update", { id: webhook.id, ...change });
  t.match(updated.body, { ...change, id: webhook.id, description: "before", created_at: webhook.created_at });
  t.match(await ask("webhook/update", { id: webhook.id, description: "" }), {
    body: { ...change, description: "" },
  });
  t.match(await ask("webhook/update", { id: webhook.id, state: "paused" }), { body: { state: "paused" } });
  t.match(await ask("webhook/update", { id: webhook.id, state: "disabled" }), { status: 400 });

  // The state in which the sender leaves it after 72 hours of failures.
  await pipeline.store`
    with succeeded as (
      update webhook_queues set last_success_at = '2029-12-31'
      where webhook_id = ${decodeId("whk", webhook.id) as string}
    )
    update webhooks set state = 'disabled', failing_since = '2030-01-01'
    where id = ${decodeId("whk", webhook.id) as string}`;
  t.match(await ask("webhook/get", { id: webhook.id }), {
    body: {
      state: "disabled",
      failing_since: "2030-01-01T00:00:00.000Z",
      last_success_at: "2029-12-31T00:00:00.000Z",
    },
  });
  const enabled = await ask("webhook/update", { id: webhook.id, state: "enabled" });
  t.match(enabled.body, { state: "enabled", last_success_at: String });
  t.notOk("failing_since" in enabled.body);
  t.strictSame(await signing(webhook.id), bytesOf(secret), "the secret is as it was");
});

t.test(
  "the answer to a deletion shows the webhook as it was, and then every route says that it is unknown",
  async (t) => {
    const { secret: _, ...webhook } = (await create()).body;
    const { id } = webhook;
    t.match(await ask("webhook/delete", { id }), { status: 200, body: webhook });
    const routes = [
      "webhook/get",
      "webhook/update",
      "webhook/delete",
      "webhook/retry",
      "webhook/rotate-secret",
    ];
    for (const route of routes) t.match(await ask(route, { id }), NOT_FOUND, route);
  },
);

t.test("a new secret signs beside the previous one, or alone", async (t) => {
  const { id, secret: first } = (await create()).body;
  const second = await rotate({ id });
  t.strictSame(Object.keys(second.body).sort(), ["id", "secret"]);
  t.match(second, { status: 200, body: { id, secret: SECRET } });
  t.strictSame(await signing(id), bytesOf(second.body.secret, first));
  const [{ hours }] = await pipeline.store<[{ hours: number }]>`
    select round(extract(epoch from expires_at - now()) / 3600)::int as hours
    from webhook_secrets
    where webhook_id = ${decodeId("whk", id) as string} and expires_at is not null`;
  t.equal(hours, 24);
  const third = await rotate({ id, overlap_seconds: 0 });
  t.strictSame(await signing(id), bytesOf(third.body.secret, first));
});

t.test("too many rotations are refused, and the message says how to go on", async (t) => {
  const { id } = (await create()).body;
  const answers: RawAnswer[] = [];
  for (let i = 0; i < 8; i++) answers.push(await rotate({ id }));
  t.strictSame(
    answers.map(({ status }) => status),
    [200, 200, 200, 200, 200, 200, 200, 409],
  );
  t.match(answers.at(-1)?.body.error, { code: "conflict", data: { reason: "too_many_secrets" } });
  t.match(await rotate({ id, overlap_seconds: 0 }), { status: 200 });
  t.equal((await signing(id)).length, 8);
});

t.test("webhooks are walked page by page, those of one organisation only", async (t) => {
  const mine = new PublisherClient(pipeline.edge.url, (await pipeline.newPublisher()).token);
  const theirs = new PublisherClient(pipeline.edge.url, (await pipeline.newPublisher()).token);
  const ids: string[] = [];
  for (let i = 0; i < 5; i++) {
    ids.push((await create({}, mine)).body.id);
    await create({}, theirs);
  }
  const walked: string[] = [];
  let cursor: string | null = null;
  do {
    const page: RawAnswer = await ask("webhook/list", { pagination: { limit: 2, cursor } }, mine);
    t.equal(page.body.page.more, page.body.page.cursor !== null);
    walked.push(...page.body.data.map((webhook: { id: string }) => webhook.id));
    cursor = page.body.page.cursor;
    if (cursor !== null) {
      t.match(
        await ask("webhook/list", { pagination: { cursor } }, theirs),
        { status: 400 },
        "a cursor of another organisation",
      );
    }
  } while (cursor !== null);
  t.strictSame(walked, ids);
});

t.test("an id of another form or kind is unknown", async (t) => {
  for (const id of ["", "x", "whk_", UNKNOWN.toUpperCase(), UNKNOWN.replace("whk", "atok"), "\u0000"]) {
    for (const route of ["webhook/get", "webhook/update", "webhook/delete", "webhook/rotate-secret"]) {
      t.match(await ask(route, { id }), NOT_FOUND, `${route} ${JSON.stringify(id)}`);
    }
  }
});

t.test("creating again with an idempotency key gives the same webhook and secret", async (t) => {
  const post = () => client.post("webhook/create", NEW, { "idempotency-key": "same" });
  const [first, second] = [await post(), await post()];
  t.equal(first.status, 200);
  t.strictSame(second.body, first.body);
  secrets.push(first.body.secret);
});

t.test("no secret is stored or shown in plain", async (t) => {
  // A fault while a secret is being stored: the database's own error, with its parameters, reaches the log.
  await pipeline.store.script("alter table webhook_secrets rename to webhook_secrets_away");
  const own = `whsec_${randomBytes(32).toString("base64")}`;
  secrets.push(own);
  t.match(await ask("webhook/create", { ...NEW, secret: own }), { status: 500 });
  await pipeline.store.script("alter table webhook_secrets_away rename to webhook_secrets");
  await ask("webhook/list", {});

  const places: Array<[string, string]> = [
    ["answers", shown.map(({ headers, body }) => JSON.stringify([headers, body])).join("\n")],
    ["edge log", pipeline.edge.output()],
    ["ingest log", pipeline.ingest.output()],
    ["edge metrics", (await pipeline.edge.ops("/metrics")).body],
    ["edge readiness", (await pipeline.edge.ops("/readyz?verbose")).body],
    ["database", await dumpEveryRow(pipeline.store)],
  ];
  t.ok(secrets.length > 30);
  t.ok(places.at(-1)?.[1].includes(NEW.url), "the search finds a value that is there");
  t.match(pipeline.edge.output(), /webhook_secrets/, "the fault was logged");
  const forbidden = secrets.flatMap((secret) => {
    const bytes = Buffer.from(webhookSecretBytes(secret));
    // As the service gave it out, and as a bytea column or a dumped buffer would show its bytes, or those of
    // its text.
    return [
      secret.slice("whsec_".length),
      bytes.toString("hex"),
      Buffer.from(secret).toString("hex"),
      bytes.join(","),
      [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join(" "),
    ];
  });
  const [key] = KEYS.split(":").slice(1) as [string];
  for (const [place, text] of places) {
    t.ok(text.length > 0, `${place} was searched`);
    t.strictSame(
      [...forbidden, key].filter((value) => text.includes(value)),
      [],
      `${place} holds no secret`,
    );
  }
});
