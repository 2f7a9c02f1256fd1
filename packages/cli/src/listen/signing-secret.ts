import { randomBytes } from "node:crypto";
import { chmodSync, linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { createWebhookSecret, isWebhookSecret } from "#domain";
import type { Environment } from "#runtime";
import { CommandError } from "../command-error.ts";
import { readTrimmed } from "../running-instance.ts";

/** The secret that signs the requests of `listen`, and its file. */
export interface SigningSecret {
  readonly secret: string;
  readonly file: string;
}

/**
 * The secret of `file`, or else the user's own. That one is made once, so that a receiver is set up once. It is in the user's
 * state folder, because `.stampede` is removed with its data.
 */
export function signingSecret(env: Environment, file: string | undefined): SigningSecret {
  if (file !== undefined) return { secret: readSecret(file), file };
  const folder = join(stateFolder(env), "stampede");
  const own = join(folder, "webhook-secret");
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    makeOnce(own);
    // It may have been copied here with other rights.
    chmodSync(own, 0o600);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new CommandError(
      `cannot keep a secret in ${own} (${code}): name a file that has one with --secret-file`,
    );
  }
  return { secret: readSecret(own), file: own };
}

/** As the XDG Base Directory Specification says: a relative path counts as none. */
function stateFolder({ XDG_STATE_HOME: named, HOME: home = homedir() }: Environment): string {
  return named?.startsWith("/") ? named : join(home, ".local", "state");
}

/**
 * Makes the file unless it exists. It is linked under its name when it is complete: of two commands that start at once, one
 * makes it and both read it, and a kill leaves at most a file with another name.
 */
function makeOnce(file: string): void {
  const made = `${file}.${process.pid}`;
  try {
    readFileSync(file);
    return;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
  }
  writeFileSync(made, `${createWebhookSecret(randomBytes(32))}\n`, { mode: 0o600 });
  try {
    linkSync(made, file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  } finally {
    rmSync(made);
  }
}

function readSecret(file: string): string {
  const secret = readTrimmed(file, "it has to hold a webhook's secret, whsec_ and base64");
  if (isWebhookSecret(secret)) return secret;
  throw new CommandError(`${file} holds no webhook's secret: whsec_ and the base64 of 24 to 64 bytes`);
}
