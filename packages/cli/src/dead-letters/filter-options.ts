import { type Command, Option } from "commander";
import { FLOW } from "#contract";
import type { LetterFilter } from "#nats/dead-letters";
import { readMoment } from "../moment.ts";

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
