import { CORE_SUBJECTS, FLOW, type Hop, hopsOf } from "#contract";
import { inboxPrefixOf } from "./connect.ts";
import { streamName, subjectName } from "./topology.ts";

/** Each service has a user of its own, and who runs `stampede migrate` and the other commands is `operator`. */
export const NATS_USERS = ["edge", "ingest", "rewards", "webhooks", "operator", "platform"] as const;
export type NatsUser = (typeof NATS_USERS)[number];

/** Subjects that a user may use; everything else is refused. */
export interface NatsRights {
  readonly publish: readonly string[];
  readonly subscribe: readonly string[];
  /** It may answer a message that it has heard, to whatever inbox that names. */
  readonly answers: boolean;
}

/** Streams and subjects have the prefix in their first token, where NATS has no wildcard: rights name each of them. */
export interface Installation {
  readonly prefix: string;
  readonly partitions: number;
}

/**
 * The least that each user needs, made from `FLOW` and `CORE_SUBJECTS`.
 *
 * - A stream is written by its subject, and only a hop's producer may. Whoever consumes may bury.
 * - A shared stream is read through its consumer: `MSG.NEXT` and its acknowledgements. Nobody else may ask it for messages,
 *   make another consumer on it, or look at single messages of it, but for the next:
 * - Where the last message of each key is kept, the producer compares with it, and the consumer sees how old the first is
 *   that it has not acknowledged.
 * - Streams and shared consumers are made by the operator. The owner of a partition reads through a consumer of its own, which
 *   it makes anew whenever reading broke, looks for the oldest message that is not done, and purges what is; so ingest
 *   may do that, on its streams.
 */
export function natsRights(user: NatsUser, installation: Installation): NatsRights {
  const { prefix } = installation;
  if (user === "operator") {
    const subjects = Object.values<Hop>(FLOW).flatMap((hop) => publishSubjects(hop, installation));
    // `_INBOX`: the `nats` command's own.
    return {
      publish: ["$JS.API.>", ...subjects],
      subscribe: [`${inboxPrefixOf(user, prefix)}.>`, "_INBOX.>"],
      answers: false,
    };
  }
  const publish = ["$JS.API.INFO"];
  for (const hop of hopsOf(user)) {
    for (const stream of streamsOf(hop, installation)) {
      publish.push(`$JS.API.STREAM.INFO.${stream}`);
      if (hop.consumer === user) publish.push(...readRights(hop, stream));
      if (hop.lastPerKey) publish.push(`$JS.API.STREAM.MSG.GET.${stream}`);
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

function streamsOf(hop: Hop, { prefix, partitions }: Installation): string[] {
  const count = hop.partitioned ? partitions : 1;
  return Array.from({ length: count }, (_, partition) => streamName({ prefix }, hop, partition));
}

function publishSubjects(hop: Hop, { prefix, partitions }: Installation): string[] {
  const count = hop.partitioned ? partitions : 1;
  return Array.from({ length: count }, (_, partition) => {
    const subject = subjectName({ prefix }, hop, partition);
    return hop.lastPerKey ? `${subject}.>` : subject;
  });
}

function readRights(hop: Hop, stream: string): string[] {
  if (hop.reading === "owned") {
    const consumers = ["CREATE", "DELETE", "MSG.NEXT"].map((what) => `$JS.API.CONSUMER.${what}.${stream}.*`);
    return [...consumers, `$JS.API.STREAM.MSG.GET.${stream}`, `$JS.API.STREAM.PURGE.${stream}`];
  }
  const consumer = `${stream}.${hop.consumer}`;
  return [
    `$JS.API.CONSUMER.INFO.${consumer}`,
    `$JS.API.CONSUMER.MSG.NEXT.${consumer}`,
    `$JS.ACK.${consumer}.>`,
  ];
}
