import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { Webhook } from "standardwebhooks";
import t from "tap";
import { createWebhookSecret } from "../webhook-secret.ts";
import { signWebhook } from "./sign-webhook.ts";

const VECTORS = new URL("../../../../../test/vectors/webhook-signature.json", import.meta.url);

interface Vector {
  readonly secret: string;
  readonly webhook_id: string;
  readonly webhook_timestamp: string;
  readonly body: string;
  readonly webhook_signature: string;
}

t.test("sign webhook - the published vector", async (t) => {
  const { vectors } = JSON.parse(readFileSync(VECTORS, "utf8")) as { vectors: Vector[] };
  t.ok(vectors.length > 0);
  for (const { secret, webhook_id: id, webhook_timestamp: timestamp, body, webhook_signature } of vectors) {
    t.equal(signWebhook(secret, { id, timestamp, body }), webhook_signature);
    t.equal(signWebhook(secret, { id, timestamp, body: Buffer.from(body) }), webhook_signature);
  }
});

t.test(
  "sign webhook - another implementation makes the same signature, for secrets of every length",
  async (t) => {
    const id = "dlv_01h455vb4pex5vsknk084sn02q";
    const now = new Date("2026-03-01T10:00:00Z");
    const timestamp = String(now.getTime() / 1000);
    const body = JSON.stringify({ events: [{ reason: "päid, 支払い 🎉" }] });
    const secrets = [24, 31, 32, 64].map((length) => `whsec_${randomBytes(length).toString("base64")}`);
    for (const secret of [...secrets, createWebhookSecret(randomBytes(32))]) {
      t.equal(signWebhook(secret, { id, timestamp, body }), new Webhook(secret).sign(id, now, body));
    }
  },
);
