import { randomBytes } from "node:crypto";
import t from "tap";
import { uuidv7 } from "uuidv7";
import { EVENT_TYPES } from "#contract";
import type { Store } from "#postgres";
import { expandSubscriptions, type SealedWebhookSecret } from "#publisher-db";
import { testOrganisation, testStore, waitForLocks } from "#test-support";
import { loadWebhookSecrets } from "../../../webhooks/src/test-webhook-secrets.ts";
import {
  createWebhook,
  deleteWebhook,
  getWebhook,
  listWebhooks,
  rotateWebhookSecret,
  updateWebhook,
} from "./webhook-rows.ts";

let store: Store;

t.before(async () => {
  store = await testStore();
});

const sealed = (): SealedWebhookSecret => ({ id: uuidv7(), keyId: "k1", bytes: randomBytes(60) });

function newWebhook(organisationId: string, secret = sealed()) {
  return createWebhook(store, {
    id: uuidv7(),
    organisationId,
    url: "https://example.com/hooks",
    events: ["cashback.created", "cashback.reverted"],
    description: "",
    secret,
  });
}

function rotate(organisationId: string, webhookId: string, overlapSeconds: number, secret = sealed()) {
  return rotateWebhookSecret(store, organisationId, webhookId, { secret, overlapSeconds, maxSecrets: 3 });
}

/** Ids of the signing secrets, the current one first. */
const signing = async (webhookId: string) => (await loadWebhookSecrets(store, webhookId)).map(({ id }) => id);
/** Ids of all stored secrets, by age. */
const kept = async (webhookId: string) =>
  (
    await store<{ id: string }[]>`select id from webhook_secrets where webhook_id = ${webhookId} order by id`
  ).map(({ id }) => id);

t.test("webhook - a created one is read back, with its sealed secret", async (t) => {
  const organisationId = await testOrganisation(store);
  const secret = sealed();
  const created = await newWebhook(organisationId, secret);
  t.match(created, {
    url: "https://example.com/hooks",
    events: ["cashback.created", "cashback.reverted"],
    description: "",
    state: "enabled",
    createdAt: Date,
    updatedAt: Date,
    failingSince: null,
    lastSuccessAt: null,
  });
  t.strictSame(await getWebhook(store, organisationId, created.id), created);
  t.strictSame(await loadWebhookSecrets(store, created.id), [secret]);
  t.equal(await getWebhook(store, organisationId, uuidv7()), undefined);
  t.strictSame(await loadWebhookSecrets(store, uuidv7()), []);
});

t.test("webhook - a rollback of its database transaction leaves neither it nor its secret", async (t) => {
  const organisationId = await testOrganisation(store);
  const id = uuidv7();
  const work = store.begin(async (sql) => {
    const secret = sealed();
    await createWebhook(sql, { id, organisationId, url: "u", events: ["e"], description: "", secret });
    throw new Error("changed its mind");
  });
  await t.rejects(work, { message: "changed its mind" });
  t.equal(await getWebhook(store, organisationId, id), undefined);
  t.strictSame(await kept(id), []);
});

t.test("webhook - a list is walked by id, oldest first", async (t) => {
  const organisationId = await testOrganisation(store);
  const ids: string[] = [];
  for (let index = 0; index < 5; index++) ids.push((await newWebhook(organisationId)).id);
  const first = await listWebhooks(store, organisationId, { limit: 2 });
  const second = await listWebhooks(store, organisationId, { limit: 2, after: ids[1] });
  const last = await listWebhooks(store, organisationId, { limit: 2, after: ids[3] });
  t.strictSame(
    [first, second, last].map(({ records, more }) => [records.map(({ id }) => id), more]),
    [
      [ids.slice(0, 2), true],
      [ids.slice(2, 4), true],
      [ids.slice(4), false],
    ],
  );
});

t.test("webhook - an update changes the given fields, and nothing else", async (t) => {
  const organisationId = await testOrganisation(store);
  const before = await newWebhook(organisationId);
  const neighbour = await newWebhook(organisationId);
  const changes = [
    { url: "https://example.com/other" },
    { events: ["transaction.rejected"] },
    { description: "nightly" },
    { description: "" },
    { state: "paused" },
    { state: "enabled" },
    {},
  ] as const;
  let expected = before;
  for (const change of changes) {
    await store`update webhooks set updated_at = '2020-01-01' where id = ${before.id}`;
    const updated = await updateWebhook(store, organisationId, before.id, change);
    t.ok(updated && updated.updatedAt >= before.createdAt, "and the time of it");
    expected = { ...expected, ...change, updatedAt: updated?.updatedAt as Date };
    t.strictSame(updated, expected, JSON.stringify(change));
  }
  t.strictSame(await getWebhook(store, organisationId, before.id), expected);
  t.strictSame(await getWebhook(store, organisationId, neighbour.id), neighbour);
  t.equal(await updateWebhook(store, organisationId, uuidv7(), { state: "paused" }), undefined);
});

t.test("webhook - a start and another URL forget since when it fails; nothing else does", async (t) => {
  const organisationId = await testOrganisation(store);
  const { id } = await newWebhook(organisationId);
  const failingSince = new Date("2030-01-01T00:00:00Z");
  for (const [state, change, left] of [
    ["disabled", { state: "enabled" }, null],
    ["disabled", { state: "paused" }, failingSince],
    ["disabled", { url: "https://example.com/mended" }, null],
    ["enabled", { url: "https://example.com/moved" }, null],
    ["enabled", { url: "https://example.com/moved" }, failingSince],
    ["enabled", { state: "enabled" }, failingSince],
    ["enabled", { description: "nightly" }, failingSince],
    ["enabled", { state: "paused" }, failingSince],
    ["paused", { state: "enabled" }, null],
  ] as const) {
    await store`update webhooks set state = ${state} where id = ${id}`;
    await store`update webhooks set failing_since = ${failingSince} where id = ${id}`;
    const updated = await updateWebhook(store, organisationId, id, change);
    t.strictSame(updated?.failingSince, left, `${state} → ${JSON.stringify(change)}`);
    t.equal(updated?.state, "state" in change ? change.state : state);
  }
});

t.test("webhook - patterns are shown as they were asked for, and cover types that come later", async (t) => {
  const organisationId = await testOrganisation(store);
  const { id } = await newWebhook(organisationId);
  const change = (events: readonly string[]) => updateWebhook(store, organisationId, id, { events });
  const subscribed = async () =>
    (
      await store<{ type: string }[]>`
        select type from webhook_subscribers where webhook_id = ${id} order by type`
    ).map(({ type }) => type);
  t.strictSame((await change(["*"]))?.events, ["*"]);
  t.strictSame(await subscribed(), [...EVENT_TYPES].sort());
  t.strictSame((await change(["cashback.*", "transaction.rejected"]))?.events, [
    "cashback.*",
    "transaction.rejected",
  ]);
  t.strictSame(await subscribed(), [
    "cashback.cleared",
    "cashback.created",
    "cashback.reverted",
    "transaction.rejected",
  ]);
  const later = [...EVENT_TYPES, "cashback.doubled", "card.lost"];
  t.equal(await expandSubscriptions(store, later), 1);
  t.equal(await expandSubscriptions(store, later), 0);
  t.ok((await subscribed()).includes("cashback.doubled"));
  t.notOk((await subscribed()).includes("card.lost"));
  t.strictSame((await getWebhook(store, organisationId, id))?.events, ["cashback.*", "transaction.rejected"]);
  await store`update webhooks set events = '{cashback.created}' where id = ${id}`;
  t.strictSame(
    (await getWebhook(store, organisationId, id))?.events,
    ["cashback.created"],
    "as somebody sets it by hand",
  );
  t.strictSame((await change(["cashback.cleared"]))?.events, ["cashback.cleared"]);
});

t.test("webhook - deleting gives it back as it was, once, and takes its secrets along", async (t) => {
  const organisationId = await testOrganisation(store);
  const webhook = await newWebhook(organisationId);
  await rotate(organisationId, webhook.id, 60);
  t.strictSame(await deleteWebhook(store, organisationId, webhook.id), webhook);
  t.strictSame(await kept(webhook.id), []);
  t.equal(await deleteWebhook(store, organisationId, webhook.id), undefined);
  t.equal(await getWebhook(store, organisationId, webhook.id), undefined);
  t.equal(await rotate(organisationId, webhook.id, 60), "unknown");
});

t.test("webhook secret - the one before signs until its overlap ends, and is then removed", async (t) => {
  const organisationId = await testOrganisation(store);
  const [first, second, third] = [sealed(), sealed(), sealed()];
  const { id } = await newWebhook(organisationId, first);
  t.equal(await rotate(organisationId, id, 3600, second), "rotated");
  t.strictSame(await loadWebhookSecrets(store, id), [second, first]);
  const [{ seconds }] = await store<[{ seconds: number }]>`
    select extract(epoch from expires_at - now())::float8 as seconds from webhook_secrets where id = ${first.id}`;
  t.ok(seconds > 3500 && seconds <= 3600, `${seconds} s left`);

  await store`update webhook_secrets set expires_at = now() where id = ${first.id}`;
  t.strictSame(await signing(id), [second.id], "it has ended");
  t.strictSame(await kept(id), [first.id, second.id]);
  t.equal(await rotate(organisationId, id, 3600, third), "rotated");
  t.strictSame(await signing(id), [third.id, second.id]);
  t.strictSame(await kept(id), [second.id, third.id], "and is gone");
});

t.test("webhook secret - without an overlap the previous one ends immediately", async (t) => {
  const organisationId = await testOrganisation(store);
  const { id } = await newWebhook(organisationId);
  const secret = sealed();
  t.equal(await rotate(organisationId, id, 0, secret), "rotated");
  t.strictSame(await kept(id), [secret.id]);
});

t.test("webhook secret - no more than the bound; ending the current one is always possible", async (t) => {
  const organisationId = await testOrganisation(store);
  const [first, second, third, fourth] = [sealed(), sealed(), sealed(), sealed()];
  const { id } = await newWebhook(organisationId, first);
  t.equal(await rotate(organisationId, id, 60, second), "rotated");
  t.equal(await rotate(organisationId, id, 60, third), "rotated");
  t.equal(await rotate(organisationId, id, 60), "too_many");
  t.strictSame(await signing(id), [third.id, second.id, first.id], "nothing has changed");
  t.equal(await rotate(organisationId, id, 0, fourth), "rotated");
  t.strictSame(await signing(id), [fourth.id, second.id, first.id]);
  await store`update webhook_secrets set expires_at = now() where id = ${first.id}`;
  t.equal(await rotate(organisationId, id, 60), "rotated", "ended secrets do not count");
});

t.test(
  "webhook secret - of rotations at one time each makes a current one, one after the other",
  async (t) => {
    const organisationId = await testOrganisation(store);
    const { id } = await newWebhook(organisationId);
    const secrets = [sealed(), sealed()];
    let rotations: Promise<string[]> | undefined;
    await store.begin(async (sql) => {
      await sql`select from webhooks where id = ${id} for update`;
      rotations = Promise.all(secrets.map((secret) => rotate(organisationId, id, 60, secret)));
      await waitForLocks(store, 2);
    });
    t.strictSame(await rotations, ["rotated", "rotated"]);
    t.equal((await signing(id)).length, 3);
    const [{ current }] = await store<[{ current: number }]>`
    select count(*) as current from webhook_secrets where webhook_id = ${id} and expires_at is null`;
    t.equal(current, 1);
  },
);

t.test("webhook secret - a rotation that waits for a deletion finds nothing to rotate", async (t) => {
  const organisationId = await testOrganisation(store);
  const { id } = await newWebhook(organisationId);
  let rotation: Promise<string> | undefined;
  await store.begin(async (sql) => {
    await deleteWebhook(sql, organisationId, id);
    rotation = rotate(organisationId, id, 60);
    await waitForLocks(store);
  });
  t.equal(await rotation, "unknown");
  t.strictSame(await kept(id), []);
});

t.test("webhook - no operation reads or changes another organisation's", async (t) => {
  const [mine, theirs] = [await testOrganisation(store), await testOrganisation(store)];
  const own = await newWebhook(mine);
  const other = await newWebhook(theirs);
  const secrets = await loadWebhookSecrets(store, other.id);
  t.equal(await getWebhook(store, mine, other.id), undefined);
  t.strictSame((await listWebhooks(store, mine, { limit: 10 })).records, [own]);
  t.strictSame((await listWebhooks(store, mine, { limit: 10, after: own.id })).records, []);
  t.equal(await updateWebhook(store, mine, other.id, { state: "paused" }), undefined);
  t.equal(await rotate(mine, other.id, 0), "unknown");
  t.equal(await deleteWebhook(store, mine, other.id), undefined);
  t.strictSame(await getWebhook(store, theirs, other.id), other);
  t.strictSame(await loadWebhookSecrets(store, other.id), secrets);
});
