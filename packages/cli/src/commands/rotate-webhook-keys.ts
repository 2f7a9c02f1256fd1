import type { Command } from "commander";
import { LIMITS } from "#contract";
import { encodeId, webhookSecretContext } from "#domain";
import { keptAnswerContext, type Store } from "#postgres";
import { readSettings, requireEncryptionKeys, type Sealed, type SecretBox } from "#runtime";
import { type Resealed, resealKeptAnswers, resealWebhookSecrets } from "../reseal/sealed-rows.ts";
import { findDatabase, withDatabase } from "../servers.ts";
import type { CommandContext, Terminal } from "../terminal.ts";

export function addSecretCommands(program: Command, { terminal, env, exit }: CommandContext): void {
  program
    .command("secrets")
    .description("webhook secrets, and other secrets that are stored encrypted")
    .command("rotate")
    .description(
      "encrypt all stored secrets with the first of STAMPEDE_ENCRYPTION_KEYS; safe to repeat; fails if no key opens one",
    )
    .action(() => {
      const settings = readSettings(env);
      const secrets = requireEncryptionKeys(settings);
      return withDatabase(findDatabase(settings), async (store) => {
        if (!(await rotateWebhookKeys(store, secrets, terminal))) exit(1);
      });
    });
}

const NAMED = 20;

/**
 * Seals every secret at rest with the newest key: webhook secrets, and kept answers that hold one. It may run beside the
 * services, be stopped at any moment and be repeated. Writes a line for each kind to `out`, tab-separated: how many it
 * resealed, how many no key opened, and the kind.
 * @returns whether all secrets opened
 */
async function rotateWebhookKeys(store: Store, secrets: SecretBox, terminal: Terminal): Promise<boolean> {
  const keyId = secrets.currentKeyId;
  const closed: string[] = [];
  const reseal = (sealed: Sealed, context: string, name: () => string): Sealed | undefined => {
    let plain: Uint8Array;
    try {
      plain = secrets.open(sealed, context);
    } catch {
      if (closed.length < NAMED) closed.push(`${name()}, sealed with the key ${sealed.keyId}`);
      return undefined;
    }
    return secrets.seal(plain, context);
  };
  const signing = await resealWebhookSecrets(store, keyId, (row) =>
    reseal(row, webhookSecretContext(row.webhookId, row.id), () => {
      return `a secret of the webhook ${encodeId("whk", row.webhookId)}`;
    }),
  );
  const answers = await resealKeptAnswers(store, keyId, LIMITS.idempotencyKeyKeptMs, (row) =>
    reseal(row, keptAnswerContext(row), () => {
      return `a kept answer of ${row.route} in the organisation ${encodeId("org", row.organisationId)}`;
    }),
  );
  terminal.out(describe(signing, "webhook secrets"));
  terminal.out(describe(answers, "kept answers"));
  const unreadable = signing.unreadable + answers.unreadable;
  for (const name of closed) terminal.err(`opened by none of the keys: ${name}`);
  if (unreadable > closed.length) terminal.err(`… and ${unreadable - closed.length} more`);
  terminal.err(
    unreadable === 0
      ? `all is under the key ${keyId}; the others can go once every process seals with it`
      : "add the keys that sealed these to STAMPEDE_ENCRYPTION_KEYS and run this again, or give the webhooks new secrets",
  );
  return unreadable === 0;
}

function describe({ resealed, unreadable }: Resealed, what: string): string {
  return `${resealed}\t${unreadable}\t${what}`;
}
