import { webhookSecretContext } from "#domain";
import type { SealedWebhookSecret } from "#publisher-db";
import type { Log, SecretBox } from "#runtime";

/** Opened secrets in memory at most; the oldest makes room. */
const SECRETS_MAX = 10_000;
/** One line in so long about a secret that does not open: its webhook is tried again and again. */
const COMPLAINT_MS = 60_000;

/**
 * Opens the secrets that sign deliveries. They are kept by webhook and id: under the same id there is always the same
 * secret, whatever key it is sealed under.
 */
export class SecretCache {
  readonly #box: SecretBox;
  readonly #log: Log;
  readonly #opened = new Map<string, string>();
  #complainedAt = Number.NEGATIVE_INFINITY;

  constructor(box: SecretBox, log: Log) {
    this.#box = box;
    this.#log = log;
  }

  /** In the form `whsec_…`, in their order. Those that do not open are left out: the others sign all the same. */
  open(webhookId: string, secrets: readonly SealedWebhookSecret[]): string[] {
    return secrets.map((secret) => this.#openOne(webhookId, secret)).filter((opened) => opened !== undefined);
  }

  #openOne(webhookId: string, secret: SealedWebhookSecret): string | undefined {
    const context = webhookSecretContext(webhookId, secret.id);
    const known = this.#opened.get(context);
    if (known !== undefined) return known;
    try {
      const opened = `whsec_${Buffer.from(this.#box.open(secret, context)).toString("base64")}`;
      this.#opened.set(context, opened);
      if (this.#opened.size > SECRETS_MAX) this.#opened.delete(this.#opened.keys().next().value as string);
      return opened;
    } catch (error) {
      this.#complain(webhookId, secret, error);
      return undefined;
    }
  }

  #complain(webhook: string, { id, keyId }: SealedWebhookSecret, error: unknown): void {
    const now = performance.now();
    if (now - this.#complainedAt < COMPLAINT_MS) return;
    this.#complainedAt = now;
    this.#log.error({ err: error, webhook, secret: id, key: keyId }, "a webhook's secret does not open");
  }
}
