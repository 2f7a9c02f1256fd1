import { CORE_SUBJECTS, FLOW, type Hop, hopsOf, LIMITS, OWNERS_SUBJECTS } from "#contract";
import { partitionsOf, streamName, streamSubject } from "../streams/stream-names.ts";
import { inboxPrefixOf } from "./connect.ts";

/** Each service has its own user; `operator` is for `stampede migrate` and the other commands. */
export const NATS_USERS = [
  "edge",
  "ingest",
  "rewards",
  "webhooks",
  "console",
  "operator",
  "platform",
] as const;
export type NatsUser = (typeof NATS_USERS)[number];

/** Subjects that a user may use; everything else is refused. */
interface NatsRights {
  readonly publish: readonly string[];
  readonly subscribe: readonly string[];
  /** May answer a message that it has heard, at any inbox that the message names. */
  readonly answers: boolean;
}

/** The prefix is in the first token of streams and subjects, without a wildcard: rights name each of them. */
export interface Installation {
  readonly prefix: string;
  readonly partitions: number;
}

/**
 * The least rights that each user needs, derived from `FLOW` and `CORE_SUBJECTS`.
 *
 * - A stream is written by its subject, and only by its hop's producer. Every consumer may store dead
 *   letters.
 * - The owner of a partition reads through its own consumer, which it makes again whenever reading broke; it
 *   reads the oldest unfinished message, and purges finished ones. So a consumer may do all that, on its own
 *   streams, and no other process may.
 * - If a stream keeps the last message of each key, its producer reads it to compare, and no service
 *   purges it.
 * - The operator makes streams, and its doctor asks the owners of partitions for their database.
 * - The console reads the fill of each stream and the dead letters; it writes nothing.
 */
export function natsRights(user: NatsUser, installation: Installation): NatsRights {
  const { prefix } = installation;
  if (user === "operator") {
    const subjects = Object.values<Hop>(FLOW).flatMap((hop) => publishSubjects(hop, installation));
    // `_INBOX` is the inbox of the `nats` command.
    return {
      publish: ["$JS.API.>", ...subjects, ...Object.values(OWNERS_SUBJECTS).map((one) => prefix + one)],
      subscribe: [`${inboxPrefixOf(user, prefix)}.>`, "_INBOX.>"],
      answers: false,
    };
  }
  if (user === "console") return consoleRights(installation);
  const publish = ["$JS.API.INFO"];
  for (const hop of hopsOf(user)) {
    for (const partition of partitionsOf(hop, installation.partitions)) {
      const stream = streamName(installation, hop, partition);
      publish.push(`$JS.API.STREAM.INFO.${stream}`);
      if (hop.consumer === user) publish.push(...readRights(hop, stream));
      if (hop.lastPerKey && hop.producer === user) publish.push(`$JS.API.STREAM.MSG.GET.${stream}`);
    }
    if (hop.consumer !== user) publish.push(...publishSubjects(hop, installation));
  }
  const heard = CORE_SUBJECTS.filter(({ to }) => to.includes(user));
  const sent = CORE_SUBJECTS.filter(({ from }) => from.includes(user));
  const subjectOf = ({ subject, perProcess }: (typeof CORE_SUBJECTS)[number]) =>
    prefix + subject + (perProcess ? ".*" : "");
  return {
    publish: [...publish, ...sent.map(subjectOf)],
    subscribe: [`${inboxPrefixOf(user, prefix)}.>`, ...heard.map(subjectOf)],
    answers: heard.some(({ isAnswered }) => isAnswered),
  };
}

function consoleRights(installation: Installation): NatsRights {
  const streams = Object.values<Hop>(FLOW).flatMap((hop) =>
    partitionsOf(hop, installation.partitions).map((partition) => streamName(installation, hop, partition)),
  );
  return {
    publish: [
      "$JS.API.INFO",
      ...streams.map((stream) => `$JS.API.STREAM.INFO.${stream}`),
      `$JS.API.STREAM.MSG.GET.${streamName(installation, FLOW.dead)}`,
    ],
    subscribe: [`${inboxPrefixOf("console", installation.prefix)}.>`],
    answers: false,
  };
}

function publishSubjects(hop: Hop, installation: Installation): string[] {
  const partitions = partitionsOf(hop, installation.partitions);
  return partitions.map((partition) => streamSubject(installation, hop, partition));
}

function readRights(hop: Hop, stream: string): string[] {
  const consumers = ["CREATE", "DELETE", "MSG.NEXT"].map((what) => `$JS.API.CONSUMER.${what}.${stream}.*`);
  return [
    ...consumers,
    `$JS.API.STREAM.MSG.GET.${stream}`,
    ...(hop.lastPerKey ? [] : [`$JS.API.STREAM.PURGE.${stream}`]),
  ];
}

/** Users of the publisher's account; the platform has its own account. */
const OWN_USERS = NATS_USERS.filter((user) => user !== "platform");

/** Twice the longest time that an answer may take. */
const ANSWER_SECONDS = Math.ceil((2 * LIMITS.webhookTestMs) / 1000);

/**
 * The text of accounts.conf, which nats-server's configuration includes: accounts, users, and their rights.
 * Passwords are variables of the server's environment.
 */
export function accountsConf(installation: Installation): string {
  const platform = natsRights("platform", installation);
  // Subjects between its own processes stay in its account.
  const linked = platform.publish.filter((subject) => !platform.subscribe.includes(subject));
  const { prefix, partitions } = installation;
  return `# Generated by \`npm run generate\` from packages/contract/src/flow.ts and core-subjects.ts: do not edit.
# For ${prefix === "" ? "no STAMPEDE_STREAM_PREFIX" : `STAMPEDE_STREAM_PREFIX=${prefix}`} and up to ${partitions} partitions; for others, write it with
# \`STAMPEDE_PARTITIONS=… STAMPEDE_STREAM_PREFIX=… stampede nats-accounts\`.
#
# Passwords come from the server's environment. They begin with a letter: the configuration reads what begins with a
# digit as a number. Such as: STAMPEDE_NATS_EDGE_PASSWORD=p$(openssl rand -hex 24)
accounts {
  STAMPEDE {
    jetstream: enabled
    users: [
${OWN_USERS.map((user) => userBlock(user, natsRights(user, installation))).join("\n")}
    ]
    # What the platform, another system, may reach of the streams to and from it.
    exports: [
${linked.map(exportLine).join("\n")}
    ]
  }
  PLATFORM {
    users: [
${userBlock("platform", platform)}
    ]
    imports: [
${linked.map((subject) => `      { service: { account: STAMPEDE, subject: ${quote(subject)} } }`).join("\n")}
    ]
  }
}
`;
}

function userBlock(user: NatsUser, { publish, subscribe, answers }: NatsRights): string {
  return `      {
        user: ${user}
        password: $STAMPEDE_NATS_${user.toUpperCase()}_PASSWORD
        permissions {
          publish { allow: ${list(publish)} }
          subscribe { allow: ${list(subscribe)} }${
            answers ? `\n          allow_responses { max: 1, expires: "${ANSWER_SECONDS}s" }` : ""
          }
        }
      }`;
}

/** One request for messages has many answers; every other request has one. */
function exportLine(subject: string): string {
  const type = subject.startsWith("$JS.API.CONSUMER.MSG.NEXT.") ? ", response_type: stream" : "";
  return `      { service: ${quote(subject)}${type}, accounts: [PLATFORM] }`;
}

function list(subjects: readonly string[]): string {
  return `[\n${subjects.map((subject) => `            ${quote(subject)}`).join("\n")}\n          ]`;
}

function quote(text: string): string {
  return JSON.stringify(text);
}
