import { randomBytes } from "node:crypto";
import { uuidv7 } from "uuidv7";
import { webhookSecretContext } from "#domain";
import type { Store } from "#postgres";
import { SecretBox } from "#runtime";
import { createWebhook } from "../../../services/edge/src/webhooks/webhook-rows.ts";

/** For tests: makes a webhook whose secret is sealed with these keys; returns its id and the secret's bytes. */
export async function makeTestWebhook(
  store: Store,
  organisationId: string,
  keys: string,
): Promise<{ id: string; plain: Uint8Array }> {
  const [id, secretId, plain] = [uuidv7(), uuidv7(), randomBytes(32)];
  const secret = { id: secretId, ...new SecretBox(keys).seal(plain, webhookSecretContext(id, secretId)) };
  const target = { url: "https://example.com/hook", events: ["cashback.created"], description: "" };
  await createWebhook(store, { id, organisationId, ...target, secret });
  return { id, plain };
}
