import { cpSync, existsSync, readdirSync, renameSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { StartError } from "#runtime";
import { readSecret, secretIn, syncToDisk } from "./data-dir.ts";
import type { RunningServer } from "./running-server.ts";

/** Where nats-server keeps its streams, below the data directory. */
export const natsStore = (dataDir: string): string => join(dataDir, "data");

/**
 * The key of the store, in `<data dir>/store-key`; made at the first start. It begins with a letter: nats-server takes a
 * value that begins with a digit for a number. Another key in the place of a lost one would open nothing: nats-server
 * would start without the streams, and remove their files as soon as a client recreates them.
 */
export function storeKey(dataDir: string): string {
  const file = join(dataDir, "store-key");
  const store = natsStore(dataDir);
  if (readSecret(file) === undefined && streamDirs(store).some(hasKey)) {
    const doThis = "put the file back from a backup, or remove the directory to begin with empty streams";
    throw new StartError("store_key_missing", `${file}, which opens ${store}, is missing: ${doThis}`);
  }
  return `k${secretIn(file)}`;
}

/**
 * Encrypts the store of a version without encryption. nats-server encrypts one itself when it gets a key, but
 * in place: if it is killed meanwhile, it leaves blocks that are marked as encrypted and are not, and drops
 * them at the next start. (Tried with 2.14.0: of 25 killed servers 20 lost messages.) So it works on a copy,
 * which replaces the store once it is complete.
 * @param start starts nats-server, with the key, on another store than its own
 */
export async function encryptStore(
  dataDir: string,
  start: (store: string) => Promise<RunningServer>,
  log: (message: string) => void,
): Promise<void> {
  const store = natsStore(dataDir);
  const [copy, plain] = [`${store}.new`, `${store}.plain`];
  if (existsSync(plain) && !existsSync(store)) renameSync(plain, store); // ended between the two renames below
  for (const rest of [copy, plain]) rmSync(rest, { recursive: true, force: true });
  if (streamDirs(store).every(isEncrypted)) return;
  log("NATS: encrypting its store");
  copyStore(store, copy);
  await (await start(copy)).stop();
  if (!streamDirs(copy).every(isEncrypted)) {
    throw new StartError("store_not_encrypted", `nats-server did not encrypt ${copy}; ${store} is as it was`);
  }
  for (const name of readdirSync(copy, { recursive: true, encoding: "utf8" })) syncToDisk(join(copy, name));
  renameSync(store, plain);
  renameSync(copy, store);
  syncToDisk(dataDir);
  rmSync(plain, { recursive: true });
}

/**
 * Removes the files of blocks that the server was creating when it was killed. nats-server creates the file
 * and then its key; if it finds a block without a key, it takes the stream for corrupt, and removes all of
 * it. (2.14.0: killed under load, it lost a stream in one of some 30 starts.) The blocks are still empty.
 */
export function dropEmptyBlocks(dataDir: string): void {
  const store = natsStore(dataDir);
  if (!existsSync(store)) return;
  for (const name of readdirSync(store, { recursive: true, encoding: "utf8" })) {
    const file = join(store, name);
    if (name.endsWith(".blk") && statSync(file).size === 0) rmSync(file);
  }
}

function copyStore(store: string, copy: string): void {
  try {
    cpSync(store, copy, { recursive: true });
  } catch (error) {
    const { code = "unknown" } = error as NodeJS.ErrnoException;
    const why = `cannot copy ${store} to encrypt it (${code}): it takes as much room again`;
    throw new StartError("store_not_encrypted", why, { cause: error });
  }
}

/** The directories of all streams: `jetstream/<account>/streams/<name>`. */
function streamDirs(store: string): string[] {
  const accounts = join(store, "jetstream");
  return listed(accounts).flatMap((account) => {
    const streams = join(accounts, account, "streams");
    return listed(streams).map((name) => join(streams, name));
  });
}

function listed(dir: string): string[] {
  return existsSync(dir) ? readdirSync(dir) : [];
}

const hasKey = (streamDir: string): boolean => existsSync(join(streamDir, "meta.key"));

/** A directory without `meta.inf` is of a stream that was being made or removed. */
const isEncrypted = (streamDir: string): boolean =>
  hasKey(streamDir) || !existsSync(join(streamDir, "meta.inf"));
