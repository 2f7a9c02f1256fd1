import { SecretBox } from "./secret-box.ts";
import type { Settings } from "./settings.ts";
import { StartError } from "./start-error.ts";

/**
 * The keys for secrets at rest. The all-in-one start makes one and hands it to the services that it forks.
 * @throws StartError when none is named
 */
export function requireEncryptionKeys({ encryptionKeys }: Settings): SecretBox {
  if (encryptionKeys === undefined) {
    throw new StartError(
      "encryption_keys_missing",
      'set STAMPEDE_ENCRYPTION_KEYS, such as "k1:$(openssl rand -base64 32)", the same for every process, and keep it safe',
    );
  }
  return new SecretBox(encryptionKeys);
}
