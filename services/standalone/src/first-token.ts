import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { uuidv7 } from "uuidv7";
import { createTokenSecret, hashTokenSecret } from "#domain";
import { ensureFirstPlatformToken } from "#platform-db";
import { closeStore, connectStore, type Store } from "#postgres";
import { ensureFirstToken, type NewSecret } from "#publisher-db";
import { writeSecretFile } from "./secret-file.ts";

export interface FirstTokenOutcome {
  readonly file: string;
  readonly created: boolean;
  /** False when the database has tokens already and this data directory has not: they were made elsewhere. */
  readonly known: boolean;
}

/** Sees to it that there is a token to begin with (contract, section 3); its secret is in `<data dir>/token`, mode 0600. */
export function provideFirstToken(databaseUrl: string, dataDir: string): Promise<FirstTokenOutcome> {
  return provide(databaseUrl, join(dataDir, "token"), (store, newSecret) =>
    ensureFirstToken(store, {
      organisationName: "default",
      description: DESCRIPTION,
      ids: { organisationId: uuidv7(), tokenId: uuidv7() },
      newSecret,
    }),
  );
}

/** Likewise for the reference platform: `<data dir>/platform-token`. */
export function providePlatformToken(databaseUrl: string, dataDir: string): Promise<FirstTokenOutcome> {
  return provide(databaseUrl, join(dataDir, "platform-token"), (store, newSecret) =>
    ensureFirstPlatformToken(store, { id: uuidv7(), description: DESCRIPTION, newSecret }),
  );
}

const DESCRIPTION = "first token, made by npm start";

async function provide(
  databaseUrl: string,
  file: string,
  ensure: (store: Store, newSecret: () => NewSecret) => Promise<string | undefined>,
): Promise<FirstTokenOutcome> {
  const store = connectStore({ url: databaseUrl, max: 1, applicationName: "stampede-standalone" });
  try {
    const secret = await ensure(store, () => {
      const made = createTokenSecret(randomBytes(32));
      writeSecretFile(file, made);
      return { secret: made, hash: hashTokenSecret(made) };
    });
    return { file, created: secret !== undefined, known: existsSync(file) };
  } finally {
    await closeStore(store);
  }
}
