import { createHash, randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { uuidv7 } from "uuidv7";
import { createTokenSecret } from "#domain";
import { closeStore, connectStore, ensureFirstToken } from "#store";
import { writeSecretFile } from "./secret-file.ts";

export interface FirstTokenOutcome {
  readonly file: string;
  readonly created: boolean;
  /** False when the database has tokens already and this data directory has not: they were made elsewhere. */
  readonly known: boolean;
}

/** Sees to it that there is a token to begin with (contract, section 3); its secret is in `<data dir>/token`, mode 0600. */
export async function provideFirstToken(databaseUrl: string, dataDir: string): Promise<FirstTokenOutcome> {
  const file = join(dataDir, "token");
  const store = connectStore({ url: databaseUrl, max: 1, applicationName: "stampede-standalone" });
  try {
    const secret = await ensureFirstToken(store, {
      organisationName: "default",
      description: "first token, made by npm start",
      ids: { organisationId: uuidv7(), tokenId: uuidv7() },
      newSecret: () => {
        const made = createTokenSecret(randomBytes(32));
        writeSecretFile(file, made);
        return { secret: made, hash: createHash("sha256").update(made).digest() };
      },
    });
    return { file, created: secret !== undefined, known: existsSync(file) };
  } finally {
    await closeStore(store);
  }
}
