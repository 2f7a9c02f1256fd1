import { resolve } from "node:path";
import type { Command } from "commander";
import { type Environment, readSettings } from "#runtime";
import { CommandError } from "./command-error.ts";
import { findRunningInstance, readTokenFile, readTrimmed } from "./running-instance.ts";

/** For clients of commands: a person waits, so a service that is not there is reported after seconds, not minutes. */
export const INTERACTIVE = { retryForMs: 5_000 };

/** The options that name a publisher API. */
export interface AccessFlags {
  readonly url?: string;
  readonly tokenFile?: string;
}

/** The address of a publisher API, and a token. */
export interface PublisherAccess {
  readonly baseUrl: string;
  readonly token: string;
}

/** Adds `--url` and `--token-file`, the options of every command that calls the publisher API. */
export function addAccessOptions(command: Command): Command {
  return command
    .option(
      "--url <url>",
      "the publisher API, such as https://stampede.example.com (default: the running instance's)",
    )
    .option("--token-file <file>", "file with an API token (default: the running instance's)");
}

/**
 * The API of `--url` with the token of `--token-file`; each defaults to the running instance's. The instance's token is sent
 * only to its own address: another `--url` needs a `--token-file`.
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

/** Without a slash at its end, so that equal addresses are equal texts. */
function readUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url !== undefined && /^https?:$/.test(url.protocol)) return url.href.replace(/(?<!\/)\/+$/, "");
  throw new CommandError("--url takes an http or https address, such as https://stampede.example.com");
}

function readToken(file: string): string {
  const token = readTrimmed(file, "--token-file takes a file that holds an API token");
  if (token !== "") return token;
  throw new CommandError(`${file} is empty: --token-file takes a file that holds an API token`);
}
