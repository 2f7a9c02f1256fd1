import { renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { SettingInForce } from "#runtime";
import type { FirstTokenResult, FirstTokens } from "./secrets.ts";

/**
 * The block that the start prints once everything is up (contract, section 11). The README shows it, and a
 * test compares the two.
 */
export function readyBlock(
  {
    publisherUrl,
    platformUrl,
    opsUrl,
    link,
  }: Pick<RunFile, "publisherUrl" | "platformUrl" | "opsUrl"> & { readonly link: string },
  { publisher: token, platform: platformToken }: FirstTokens,
  logDir: string,
  seconds: number,
): string {
  return `
Stampede is ready, after ${seconds.toFixed(1)} s.

  console        ${link}${howOften(link)}
  publisher API  ${publisherUrl}/publisher.v1
  reference      ${publisherUrl}/docs  /openapi.json
  platform       ${platformUrl}/platform.v1  /docs
  operations     ${opsUrl}/readyz?verbose  /livez  /metrics
  token          ${whereIs(token, "npx stampede token create")}
  platform token ${whereIs(platformToken, "npx stampede token create --platform")}
  logs           ${logDir}

To play a purchase and see the webhook for its stamp, run this in another terminal, in this folder:

  npx stampede simulate purchase --via webhook

To send a transaction by hand, paste this into any shell on this machine:

${firstTransaction(publisherUrl, token.known ? `$(cat ${shellQuote(token.file)})` : "<token>")}

Ctrl-C stops it; the data stays.
`;
}

/** Behind a proxy the console has a plain address, which can be used any number of times. */
function howOften(link: string): string {
  return link.includes("#link=")
    ? "  (works once, within an hour; for a new link: npx stampede console link)"
    : "";
}

function whereIs({ known, file }: FirstTokenResult, command: string): string {
  return known ? file : `made on another machine or data directory: ${command}`;
}

/**
 * Commands for a POSIX shell in any folder: paths are absolute, and the function does not hide the command
 * `stampede`. They make a memberbase and a member in it, ingest a transaction of that member, whose id is
 * made of the member and the current second, and show what is stored of it. Only the call that creates the
 * memberbase has an idempotency key, so that a second paste creates no second memberbase. The function itself
 * has none, because later calls create other things.
 */
function firstTransaction(publisherUrl: string, token: string): string {
  return `  publisher() { curl -sS "${publisherUrl}/publisher.v1/$1" -H "authorization: Bearer ${token}" \\
    -H 'content-type: application/json' -d "$2" \${3:+-H "$3"}; }
  base=$(publisher member-base/create '{"name":"First steps"}' 'idempotency-key: first-steps' | grep -o 'mb_[0-9a-z]*')
  member=$(publisher member/bulk-upsert '{"member_base_id":"'$base'","members":[{"ref":"ada"}]}' | grep -o 'm_[0-9a-z]*'); purchase=$member-$(date +%s)
  publisher transaction/ingest '{"events":[{"member_id":"'$member'","external_id":"'$purchase'",
    "auth_code":"A1B2C3","network":"visa","bin":"45717360","merchant_id":"M-1001","amount":1250,"currency":"EUR",
    "authed_at":"'$(date -u +%Y-%m-%dT%H:%M:%SZ)'"}]}'; publisher transaction/get '{"external_id":"'$purchase'"}'`;
}

function shellQuote(text: string): string {
  return /^[\w./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

/**
 * `<data dir>/run.json`, mode 0600 (it holds passwords): tells the demo and the command line where a running
 * instance is.
 */
export interface RunFile {
  /** Of the all-in-one process. If no such process runs, the file was left by an instance that is gone. */
  readonly pid: number;
  readonly publisherUrl: string;
  readonly opsUrl: string;
  readonly databaseUrl: string;
  readonly natsUrl: string;
  readonly natsMonitorUrl?: string;
  readonly tokenFile: string;
  readonly platformUrl: string;
  readonly platformDatabaseUrl: string;
  readonly platformTokenFile: string;
  /** With a slash at its end. */
  readonly consoleUrl: string;
  /** For `stampede config`; secrets are shown as `set`. */
  readonly settings: readonly SettingInForce[];
}

export function writeRunFile(dataDir: string, content: RunFile): void {
  const file = join(dataDir, "run.json");
  writeFileSync(`${file}.new`, `${JSON.stringify(content, null, 2)}\n`, { mode: 0o600 });
  renameSync(`${file}.new`, file);
}

export function removeRunFile(dataDir: string): void {
  rmSync(join(dataDir, "run.json"), { force: true });
}
