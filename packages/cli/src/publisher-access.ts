import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import type { Command } from "commander";
import { type Environment, readSettings } from "#runtime";
import { CommandError } from "./command-error.ts";
import { findRunningInstance, readTokenFile } from "./running-instance.ts";

/** For clients of commands: somebody looks on, so a service that is not there is told after seconds and not minutes. */
export const SOMEBODY_WAITS = { retryForMs: 5_000 };

/** How a command is told which publisher API to call. */
export interface AccessFlags {
  readonly url?: string;
  readonly tokenFile?: string;
}

/** Where the publisher API is, and a token of it. */
export interface PublisherAccess {
  readonly baseUrl: string;
  readonly token: string;
}

/** Adds `--url` and `--token-file`, which every command has that calls the publisher API. */
export function addAccessOptions(command: Command): Command {
  return command
    .option(
      "--url <url>",
      "the publisher API, such as https://stampede.example.com (default: of the running instance)",
    )
    .option("--token-file <file>", "holds an API token (default: the running instance's)");
}

/**
 * What `--url` and `--token-file` name; what is not named is the running instance's. Its token goes only to its own
 * address: with another `--url`, a `--token-file` is asked for.
 */
export function findPublisher({ url, tokenFile }: AccessFlags, env: Environment): PublisherAccess {
  const baseUrl = url === undefined ? undefined : readUrl(url);
  const token = tokenFile === undefined ? undefined : readToken(tokenFile);
  if (baseUrl !== undefined && token !== undefined) return { baseUrl, token };
  const { dataDir } = readSettings(env);
  const instance = findRunningInstance(dataDir);
  if (instance === undefined) {
    throw new CommandError(
      `nothing runs on ${resolve(dataDir)}: give --url and --token-file, or run \`npm start\` in another terminal`,
    );
  }
  if (baseUrl !== undefined && baseUrl !== readUrl(instance.publisherUrl)) {
    throw new CommandError(`give the --token-file of ${baseUrl}: it is not the running instance`);
  }
  return { baseUrl: readUrl(instance.publisherUrl), token: token ?? readTokenFile(instance) };
}

/** Without a slash at its end, so that the same address has one form. */
function readUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url !== undefined && /^https?:$/.test(url.protocol)) return url.href.replace(/(?<!\/)\/+$/, "");
  throw new CommandError("--url takes an http or https address, such as https://stampede.example.com");
}

function readToken(file: string): string {
  let token: string;
  try {
    token = readFileSync(file, "utf8").trim();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new CommandError(
      `cannot read ${file} (${code}): --token-file takes a file that holds an API token`,
    );
  }
  if (token !== "") return token;
  throw new CommandError(`${file} is empty: --token-file takes a file that holds an API token`);
}
