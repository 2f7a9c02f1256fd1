import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { Webhook } from "standardwebhooks";
import t from "tap";
import { createWebhookSecret } from "#domain";
import {
  verifyWebhook,
  type WebhookHeaders,
  type WebhookVerificationCode,
  WebhookVerificationError,
} from "./verify-webhook.ts";

const VECTORS = new URL("../../../../test/vectors/webhook-signature.json", import.meta.url);
const SECRET = createWebhookSecret(randomBytes(32));
const ID = "dlv_01h455vb4pex5vsknk084sn02q";
const NOW = new Date("2026-03-01T10:00:00Z");
const EVENTS = [
  { event_id: "evt_1", type: "webhook.test", timestamp: "2026-03-01T09:59:59.000Z" },
  { event_id: "evt_2", type: "transaction.rejected", reason: "päid 🎉" },
];
const BODY = JSON.stringify({ events: EVENTS });

/** The headers of a delivery, made by another implementation. */
function signed(body = BODY, { secrets = [SECRET], at = NOW } = {}): Record<string, string> {
  return {
    "webhook-id": ID,
    "webhook-timestamp": String(at.getTime() / 1000),
    "webhook-signature": secrets.map((secret) => new Webhook(secret).sign(ID, at, body)).join(" "),
  };
}

function refusal(
  headers: WebhookHeaders,
  body: string | Uint8Array = BODY,
  secret: string | readonly string[] = SECRET,
) {
  try {
    verifyWebhook(secret, headers, body, { now: NOW });
    return "verified";
  } catch (error) {
    if (!(error instanceof WebhookVerificationError)) throw error;
    return error.code;
  }
}

t.test("verify webhook - reads the events of a delivery, from any form of headers and body", async (t) => {
  const headers = signed();
  const upper = Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name.toUpperCase(), value]),
  );
  const lists = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value]]));
  for (const held of [headers, upper, lists, new Headers(headers)]) {
    for (const body of [BODY, Buffer.from(BODY), new TextEncoder().encode(BODY)]) {
      t.strictSame(verifyWebhook(SECRET, held, body, { now: NOW }), EVENTS);
    }
  }
  t.equal(refusal({ ...lists, "webhook-id": [ID, ID] }), "invalid_header");
});

t.test("verify webhook - the published vector is signed, and no delivery", async (t) => {
  const { vectors } = JSON.parse(readFileSync(VECTORS, "utf8"));
  for (const vector of vectors) {
    const headers = {
      "webhook-id": vector.webhook_id,
      "webhook-timestamp": vector.webhook_timestamp,
      "webhook-signature": vector.webhook_signature,
    };
    const now = new Date(Number(vector.webhook_timestamp) * 1000);
    const verify = (body: string) => verifyWebhook(vector.secret, headers, body, { now });
    t.throws(() => verify(vector.body), { code: "invalid_body" });
    t.throws(() => verify(`${vector.body} `), { code: "signature_mismatch" });
  }
});

t.test("verify webhook - any of several signatures will do, as while secrets overlap", async (t) => {
  const others = [1, 2].map(() => createWebhookSecret(randomBytes(32)));
  for (const secrets of [
    [SECRET, ...others],
    [...others, SECRET],
  ]) {
    t.equal(refusal(signed(BODY, { secrets })), "verified");
  }
  t.equal(refusal(signed(BODY, { secrets: others })), "signature_mismatch");
  const headers = signed();
  const { "webhook-signature": signature = "" } = headers;
  for (const [given, code] of [
    [`v1a,AAAA ${signature} v2,x`, "verified"],
    [signature.replace("v1,", "v2,"), "signature_mismatch"],
    [signature.replace("v1,", ""), "signature_mismatch"],
    [signature.slice(0, -1), "signature_mismatch"],
    [`${signature},x`, "signature_mismatch"],
    ["v1,", "signature_mismatch"],
    [" ", "signature_mismatch"],
  ] as const) {
    t.equal(refusal({ ...headers, "webhook-signature": given }), code, given);
  }
});

t.test("verify webhook - of several secrets one has to match", async (t) => {
  const other = createWebhookSecret(randomBytes(32));
  t.equal(refusal(signed(), BODY, [other, SECRET]), "verified");
  t.equal(refusal(signed(), BODY, [other]), "signature_mismatch");
  t.equal(refusal(signed(), BODY, []), "invalid_secret");
  t.equal(refusal(signed(), BODY, [SECRET, "hunter2"]), "invalid_secret");
});

t.test("verify webhook - a request that was changed on its way is refused", async (t) => {
  const headers = signed();
  t.equal(refusal(headers, BODY.replace("evt_1", "evt_3")), "signature_mismatch");
  t.equal(
    refusal(headers, JSON.stringify(JSON.parse(BODY), null, 1)),
    "signature_mismatch",
    "parsed and written again",
  );
  t.equal(refusal({ ...headers, "webhook-id": `${ID}x` }), "signature_mismatch");
  t.equal(
    refusal({ ...headers, "webhook-timestamp": String(NOW.getTime() / 1000 + 1) }),
    "signature_mismatch",
  );
  t.equal(refusal(headers, BODY, createWebhookSecret(randomBytes(32))), "signature_mismatch");
});

t.test("verify webhook - a request is good for five minutes, either way", async (t) => {
  const at = (seconds: number) => refusal(signed(BODY, { at: new Date(NOW.getTime() + seconds * 1000) }));
  for (const seconds of [-300, 0, 300]) t.equal(at(seconds), "verified", `${seconds}`);
  for (const seconds of [-301, 301, 86_400]) t.equal(at(seconds), "timestamp_out_of_range", `${seconds}`);
  const old = signed(BODY, { at: new Date(NOW.getTime() - 1000_000) });
  t.throws(() => verifyWebhook(SECRET, old, BODY, { now: NOW }), { message: /1000 s ago/ });
  t.ok(verifyWebhook(SECRET, old, BODY, { now: NOW, toleranceSeconds: 1000 }));
  t.throws(
    () => verifyWebhook(SECRET, old, BODY),
    { code: "timestamp_out_of_range" },
    "by the clock of the machine",
  );
});

t.test("verify webhook - each header must be there, and be what it is", async (t) => {
  for (const name of Object.keys(signed())) {
    const { [name]: _gone, ...rest } = signed();
    t.equal(refusal(rest), "missing_header", name);
    t.equal(refusal({ ...rest, [name]: "" }), "missing_header", name);
    t.equal(refusal(new Headers(rest)), "missing_header", name);
  }
  for (const timestamp of ["soon", "-1", "1.5", "0x1", "1e9", "9".repeat(400)]) {
    t.equal(refusal({ ...signed(), "webhook-timestamp": timestamp }), "invalid_header", timestamp);
  }
});

t.test("verify webhook - the given secret must have the form of one, and no error shows it", async (t) => {
  for (const secret of ["", "whsec_", "hunter2", SECRET.slice(6), "whsec_aHVudGVyMg==", `${SECRET}\n`]) {
    t.equal(refusal(signed(), BODY, secret), "invalid_secret" satisfies WebhookVerificationCode, secret);
  }
  t.throws(() => verifyWebhook("hunter2", signed(), BODY), { message: /^(?!.*hunter2)/ });
});

t.test("verify webhook - a signed body without events is refused", async (t) => {
  for (const body of ["", "{", "null", "[]", "{}", '{"events":{}}', "7"]) {
    t.equal(refusal(signed(body), body), "invalid_body", body);
  }
});
