import { randomBytes } from "node:crypto";
import t from "tap";
import { uuidv7 } from "uuidv7";
import { webhookSecretContext } from "#domain";
import { closeStore, connectStore, keptAnswerContext, type Store } from "#postgres";
import { createOrganisation } from "#publisher-db";
import { makeEncryptionKey, SecretBox } from "#runtime";
import { testServers } from "#test-support";
import { rotateWebhookSecret } from "../../../../services/edge/src/webhooks/webhook-rows.ts";
import { loadWebhookSecrets } from "../../../../services/webhooks/src/test-webhook-secrets.ts";
import { runCommand } from "../test-command.ts";
import { makeTestWebhook } from "../test-webhook.ts";

const key = (id: string) => makeEncryptionKey(new Date()).replace(/^k\d+/, id);
const OLD = key("old");
const NEW = key("new");
const DONE = "all is under the key new; the others can go once every process seals with it\n";

let url: string;
let store: Store;
let organisationId: string;
t.before(async () => {
  url = await (await testServers()).databaseUrl();
  store = connectStore({ url, max: 2, applicationName: "test" });
});
t.teardown(() => closeStore(store));
t.beforeEach(async () => {
  await store`delete from webhooks`;
  await store`delete from idempotency_keys`;
  organisationId = (await createOrganisation(store, { id: uuidv7(), name: "test" })).id;
});

const newWebhook = (keys: string) => makeTestWebhook(store, organisationId, keys);

/** Keeps an answer to an idempotency key, sealed with these keys; null: not sealed. */
async function keepAnswer(name: string, keys: string | null, age = "1 hour"): Promise<void> {
  const request = { organisationId, route: "webhook/create", key: name };
  const plain = Buffer.from(`the answer to ${name}`);
  const kept =
    keys === null
      ? { keyId: null, bytes: plain }
      : new SecretBox(keys).seal(plain, keptAnswerContext(request));
  await store`
    insert into idempotency_keys
      (organisation_id, route, key, request_hash, status, key_id, answer, created_at)
    values (${organisationId}, ${request.route}, ${name}, ${randomBytes(32)}, 200, ${kept.keyId}, ${kept.bytes},
            now() - ${age}::text::interval)`;
}

/** The secrets that these keys open: each webhook's, and each kept answer by its idempotency key. */
async function opened(keys: string) {
  const box = new SecretBox(keys);
  const webhooks = await store<Array<{ id: string }>>`select id from webhooks order by id`;
  const secrets = await Promise.all(
    webhooks.map(async ({ id }) => {
      const sealed = await loadWebhookSecrets(store, id);
      return sealed.map((secret) => box.open(secret, webhookSecretContext(id, secret.id)));
    }),
  );
  const answers = await store<Array<{ key: string; keyId: string; bytes: Uint8Array }>>`
    select key, key_id as "keyId", answer as bytes from idempotency_keys
    where key_id is not null and created_at > now() - interval '24 hours' order by key`;
  const texts = answers.map(({ key, ...sealed }) => {
    const context = keptAnswerContext({ organisationId, route: "webhook/create", key });
    return Buffer.from(box.open(sealed, context)).toString();
  });
  return { secrets, texts };
}

const rotateKeys = (keys: string) =>
  runCommand(["secrets", "rotate"], { DATABASE_URL: url, STAMPEDE_ENCRYPTION_KEYS: keys });

t.test(
  "secrets rotate - afterwards every secret is under the newest key, and the old key can go",
  async (t) => {
    // More than one step of the walk, for each kind.
    const webhooks = await Promise.all(Array.from({ length: 230 }, () => newWebhook(OLD)));
    const names = Array.from({ length: 120 }, (_, i) => `key ${String(i).padStart(3, "0")}`);
    for (const name of names) await keepAnswer(name, OLD);
    await keepAnswer("no secret in it", null);

    t.strictSame(await rotateKeys(`${NEW},${OLD}`), {
      code: 0,
      out: "230\t0\twebhook secrets\n120\t0\tkept answers\n",
      err: DONE,
    });
    const { secrets, texts } = await opened(NEW);
    const byId = webhooks.sort((a, b) => (a.id < b.id ? -1 : 1));
    t.strictSame(
      secrets.map(([secret]) => secret && Buffer.from(secret).toString("hex")),
      byId.map(({ plain }) => Buffer.from(plain).toString("hex")),
    );
    t.strictSame(
      texts,
      names.map((name) => `the answer to ${name}`),
    );
    t.match(
      await rotateKeys(`${NEW},${OLD}`),
      { code: 0, out: /^0\t0\t.*\n0\t0\t/ },
      "nothing is left to do",
    );
    t.match(await rotateKeys(NEW), { code: 0 }, "the old key has gone");
  },
);

t.test(
  "secrets rotate - reseals every secret that signs during an overlap, and none that no longer signs",
  async (t) => {
    const { id } = await newWebhook(OLD);
    const rotate = (overlapSeconds: number) => {
      const secretId = uuidv7();
      const secret = {
        id: secretId,
        ...new SecretBox(OLD).seal(randomBytes(32), webhookSecretContext(id, secretId)),
      };
      return rotateWebhookSecret(store, organisationId, id, { secret, overlapSeconds, maxSecrets: 8 });
    };
    await rotate(3600);
    await rotate(3600);
    t.match(await rotateKeys(`${NEW},${OLD}`), { code: 0, out: /^3\t0\t/ });
    t.equal((await opened(NEW)).secrets[0]?.length, 3);

    await store`update webhook_secrets set key_id = 'lost' where expires_at is not null`;
    await store`update webhook_secrets set expires_at = now() where expires_at is not null`;
    t.match(await rotateKeys(NEW), { code: 0, out: /^0\t0\t/ });
  },
);

t.test("secrets rotate - a secret that no key opens is named, and the others are resealed", async (t) => {
  const lost = await newWebhook(key("lost"));
  await newWebhook(OLD);
  await keepAnswer("lost", key("lost"));
  await keepAnswer("over", key("lost"), "25 hours");
  await keepAnswer("good", OLD);
  const { code, out, err } = await rotateKeys(`${NEW},${OLD}`);
  t.equal(code, 1);
  t.equal(out, "1\t1\twebhook secrets\n1\t1\tkept answers\n");
  t.match(err, /opened by none of the keys: a secret of the webhook whk_\w{26}, sealed with the key lost\n/);
  t.match(err, /a kept answer of webhook\/create in the organisation org_\w{26}, sealed with the key lost\n/);
  t.notOk(err.includes(Buffer.from(lost.plain).toString("base64")));
  t.match(err, /add the keys that sealed these to STAMPEDE_ENCRYPTION_KEYS/);
});

t.test("secrets rotate - a row that was moved to another webhook does not open there", async (t) => {
  const [one, other] = [await newWebhook(OLD), await newWebhook(OLD)];
  await store`delete from webhook_secrets where webhook_id = ${other.id}`;
  await store`update webhook_secrets set webhook_id = ${other.id} where webhook_id = ${one.id}`;
  t.match(await rotateKeys(`${NEW},${OLD}`), { code: 1, out: /^0\t1\t/ });
});

t.test("secrets rotate - without keys says what to set", async (t) => {
  await t.rejects(rotateKeys(""), { message: /set STAMPEDE_ENCRYPTION_KEYS/ });
});
