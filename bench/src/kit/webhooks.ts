import { uuidv7 } from "uuidv7";
import type { EventType } from "#contract";
import { webhookSecretBytes, webhookSecretContext } from "#domain";
import type { Store } from "#postgres";
import { SecretBox } from "#runtime";
import { createWebhook } from "../../../services/edge/src/webhooks/webhook-rows.ts";

/** A webhook like an integrator's. */
interface BenchWebhook {
  readonly organisationId: string;
  readonly url: string;
  readonly events: readonly EventType[];
  /** `whsec_…` */
  readonly secret: string;
  /** STAMPEDE_ENCRYPTION_KEYS of the service that delivers. */
  readonly keys: string;
}

export async function storeWebhook(
  store: Store,
  { organisationId, url, events, secret, keys }: BenchWebhook,
): Promise<void> {
  const [id, secretId] = [uuidv7(), uuidv7()];
  const sealed = new SecretBox(keys).seal(webhookSecretBytes(secret), webhookSecretContext(id, secretId));
  const webhook = { id, organisationId, url, events: [...events], description: "" };
  await createWebhook(store, { ...webhook, secret: { id: secretId, ...sealed } });
}

/** Lets the service deliver to this machine. */
export const LOOPBACK_TARGETS = {
  STAMPEDE_WEBHOOK_ALLOW_HTTP: "loopback",
  STAMPEDE_WEBHOOK_ALLOW_CIDRS: "127.0.0.0/8",
} as const;
