import { randomBytes } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { userInfo } from "node:os";
import { join } from "node:path";
import { uuidv7 } from "uuidv7";
import { createTokenSecret, hashTokenSecret } from "#domain";
import { writeSecret } from "#embedded";
import { ensureFirstPlatformToken } from "#platform-db";
import { closeStore, connectStore, type Store } from "#postgres";
import { ensureFirstToken, makeConsoleLink, type NewSecret } from "#publisher-db";
import { makeEncryptionKey, type Settings } from "#runtime";

export interface FirstTokenResult {
  readonly file: string;
  readonly created: boolean;
  /** False if the database already has tokens and this data directory has none: they were made elsewhere. */
  readonly known: boolean;
}

export interface FirstTokens {
  readonly publisher: FirstTokenResult;
  readonly platform: FirstTokenResult;
}

/**
 * Makes sure that there are first tokens (contract, section 3). The publisher's secret is in `<data
 * dir>/token`, the reference platform's in `<data dir>/platform-token`, mode 0600.
 */
export async function provideTokens(
  databases: { readonly publisher: string; readonly platform: string },
  dataDir: string,
): Promise<FirstTokens> {
  const description = "first token, made by npm start";
  const publisher = await provide(databases.publisher, join(dataDir, "token"), (store, newSecret) => {
    const ids = { organisationId: uuidv7(), tokenId: uuidv7() };
    return ensureFirstToken(store, { organisationName: "default", description, ids, newSecret });
  });
  const platform = await provide(databases.platform, join(dataDir, "platform-token"), (store, newSecret) =>
    ensureFirstPlatformToken(store, { id: uuidv7(), description, newSecret }),
  );
  return { publisher, platform };
}

export const describeTokens = ({ publisher, platform }: FirstTokens): string =>
  `publisher's ${describeToken(publisher)}; platform's ${describeToken(platform)}`;

const describeToken = ({ created, known, file }: FirstTokenResult): string => {
  if (created) return `made, in ${file}`;
  return known ? `in ${file}` : "made elsewhere";
};

async function provide(
  databaseUrl: string,
  file: string,
  ensure: (store: Store, newSecret: () => NewSecret) => Promise<string | undefined>,
): Promise<FirstTokenResult> {
  const store = connectStore({ url: databaseUrl, max: 1, applicationName: "stampede-standalone" });
  try {
    const secret = await ensure(store, () => {
      const made = createTokenSecret(randomBytes(32));
      writeSecret(file, made);
      return { secret: made, hash: hashTokenSecret(made) };
    });
    return { file, created: secret !== undefined, known: existsSync(file) };
  } finally {
    await closeStore(store);
  }
}

/**
 * A link into the console for the reader of this terminal, as an administrator. Behind proxies, which identify the users, it is
 * the console's address.
 */
export async function provideConsoleLink(
  databaseUrl: string,
  consoleUrl: string,
  { consoleProxies, consoleOrigin, consoleBasePath }: Settings,
): Promise<string> {
  if (consoleProxies.length > 0) return `${consoleOrigin}${consoleBasePath}`;
  const store = connectStore({ url: databaseUrl, max: 1, applicationName: "stampede-standalone" });
  try {
    return await makeConsoleLink(store, consoleUrl, { user: localUser(), role: "administrator" });
  } finally {
    await closeStore(store);
  }
}

/** The name in a container may be missing. */
function localUser(): string {
  try {
    return userInfo().username;
  } catch {
    return "local";
  }
}

/**
 * The keys of the environment; otherwise the key in `<data dir>/encryption-key`, mode 0600, which the first
 * start makes.
 */
export function provideEncryptionKeys({ encryptionKeys }: Settings, dataDir: string): string {
  if (encryptionKeys !== undefined) return encryptionKeys;
  const file = join(dataDir, "encryption-key");
  try {
    return readFileSync(file, "utf8").trim();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
  }
  const made = makeEncryptionKey(new Date());
  writeSecret(file, made);
  return made;
}
