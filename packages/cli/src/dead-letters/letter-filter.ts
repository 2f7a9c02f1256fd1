import { type Command, Option } from "commander";
import { FLOW } from "#contract";
import type { StoredDeadLetter } from "#nats/dead-letters";
import { readMoment } from "../moment.ts";

/** Which dead letters a command is about; those that agree with everything that is given. */
export interface LetterFilter {
  readonly reason?: string;
  /** The stream that they came from, such as `INGEST`. */
  readonly stream?: string;
  /** SQLSTATE, or its beginning: `23` is every broken constraint. */
  readonly error?: string;
  readonly externalId?: string;
  /** Died at or after it. */
  readonly since?: Date;
  /** Died before it. */
  readonly until?: Date;
}

const STREAMS = Object.values(FLOW).flatMap(({ stream }) => (stream === FLOW.dead.stream ? [] : [stream]));

/** Adds the options that make a `LetterFilter`. */
export function addFilterOptions(command: Command): Command {
  return command
    .option("--reason <reason>", "only those that died for it, such as poison_event")
    .addOption(new Option("--stream <name>", "only those that came from it").choices(STREAMS))
    .option("--error <sqlstate>", "only those with it, or with one that begins so: 23 is every constraint")
    .option("--external-id <id>", "only those of this transaction")
    .addOption(
      new Option("--since <when>", "only those that died since: 1h, or a time").argParser(readMoment),
    )
    .addOption(new Option("--until <when>", "only those that died before it").argParser(readMoment));
}

/** What was given of a filter, without the other options of its command. */
export function filterOf({ reason, stream, error, externalId, since, until }: LetterFilter): LetterFilter {
  const given = Object.entries({ reason, stream, error, externalId, since, until }).filter(
    ([, value]) => value !== undefined,
  );
  return Object.fromEntries(given);
}

export function matches({ at, letter }: StoredDeadLetter, filter: LetterFilter): boolean {
  const { reason, stream, error, externalId, since, until } = filter;
  if (reason !== undefined && letter.reason !== reason) return false;
  if (stream !== undefined && letter.hop !== stream) return false;
  if (error !== undefined && !(letter.error ?? "").startsWith(error)) return false;
  if (externalId !== undefined && letter.row?.externalId !== externalId) return false;
  return (since === undefined || at >= since) && (until === undefined || at < until);
}
