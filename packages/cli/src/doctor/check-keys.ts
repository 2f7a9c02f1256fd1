import { webhookSecretContext } from "#domain";
import type { Store } from "#postgres";
import { SecretBox } from "#runtime";
import { loadNewestSecrets } from "../reseal/sealed-rows.ts";
import { type Finding, fail, ok, warn } from "./finding.ts";

const CHECK = "encryption keys";
/** They are opened one by one; a lost key shows in the first of its secrets. */
const SECRETS_OPENED = 1000;

/**
 * Whether the keys open the newest webhook secrets. When a key is lost, everything that it sealed is lost.
 */
export async function checkKeys(store: Store, keys: string | undefined): Promise<Finding> {
  const secrets = await loadNewestSecrets(store, SECRETS_OPENED);
  if (keys === undefined) {
    const what = "STAMPEDE_ENCRYPTION_KEYS is not set";
    if (secrets.length === 0) return warn(CHECK, `${what}: edge and webhooks do not start without`);
    const sealers = [...new Set(secrets.map(({ keyId }) => keyId))].join(", ");
    return fail(
      CHECK,
      `${what}, and webhook secrets are sealed with ${sealers}: set it as the services have it`,
    );
  }
  const box = new SecretBox(keys);
  if (secrets.length === 0) return ok(CHECK, `no webhook secrets yet; ${box.currentKeyId} seals new ones`);
  const closed = secrets.filter((secret) => {
    try {
      box.open(secret, webhookSecretContext(secret.webhookId, secret.id));
      return false;
    } catch {
      return true;
    }
  });
  if (closed.length > 0) {
    const sealers = [...new Set(closed.map(({ keyId }) => keyId))].join(", ");
    const what = `${closed.length} of the ${secrets.length} newest webhook secrets do not open (sealed with ${sealers})`;
    return fail(
      CHECK,
      `${what}: add the lost key to STAMPEDE_ENCRYPTION_KEYS, or give the webhooks new secrets`,
    );
  }
  const older = secrets.filter(({ keyId }) => keyId !== box.currentKeyId).length;
  const opened = `the newest ${secrets.length} webhook secrets open`;
  return ok(
    CHECK,
    older === 0 ? opened : `${opened}; ${older} under an older key: \`stampede secrets rotate\` moves them`,
  );
}
