import { connect, type NatsConnection, PermissionViolationError } from "@nats-io/transport-node";
import { CORE_SUBJECTS, FLOW, type Hop } from "#contract";
import { NATS_USERS } from "#nats";
import type { NatsUser, SecuredServers } from "#test-support";

export const PARTITIONS = 2;

/**
 * The writers and readers of each stream, stated once more by hand: the rights under test are made from the
 * flow table.
 */
export const WRITES: Readonly<Record<NatsUser, readonly string[]>> = {
  edge: ["INGEST"],
  ingest: ["PLATFORM_TX", "SETTLEMENT", "DEAD"],
  platform: ["OUTCOMES", "CONFIG", "DEAD"],
  rewards: ["DEAD"],
  webhooks: [],
  console: [],
  operator: ["INGEST", "PLATFORM_TX", "OUTCOMES", "SETTLEMENT", "CONFIG", "DEAD"],
};
export const READS: Readonly<Record<NatsUser, readonly string[]>> = {
  edge: [],
  ingest: ["INGEST"],
  platform: ["PLATFORM_TX"],
  rewards: ["OUTCOMES", "SETTLEMENT", "CONFIG"],
  webhooks: [],
  console: [],
  operator: [],
};
const HEARS: Readonly<Record<NatsUser, readonly string[]>> = {
  edge: ["reply.somebody", "tokens.revoked"],
  ingest: ["confirm.somebody", "partitions.kick", "owners.publisher"],
  platform: ["owners.platform"],
  rewards: ["owners.publisher"],
  webhooks: ["events.committed", "webhook.test"],
  console: [],
  operator: [],
};
const SAYS: Readonly<Record<NatsUser, readonly string[]>> = {
  edge: ["confirm.somebody", "tokens.revoked", "webhook.test"],
  ingest: ["reply.somebody", "partitions.kick", "events.committed", "owners.publisher"],
  platform: ["owners.platform"],
  rewards: ["events.committed", "owners.publisher"],
  webhooks: [],
  console: [],
  operator: ["owners.publisher", "owners.platform"],
};

const HOPS = Object.values<Hop>(FLOW);
const CORE = CORE_SUBJECTS.map(({ subject, perProcess }) => (perProcess ? `${subject}.somebody` : subject));

const streamsOf = ({ stream, partitioned }: Hop) =>
  partitioned ? Array.from({ length: PARTITIONS }, (_, n) => `${stream}_${n}`) : [stream];
const subjectsOf = ({ subject, partitioned, lastPerKey }: Hop) =>
  partitioned
    ? Array.from({ length: PARTITIONS }, (_, n) => `${subject}.${n}`)
    : [lastPerKey ? `${subject}.loyalty-program.x` : subject];

/** All requests about a stream, except the one that asks whether it exists. */
function questions(hop: Hop, stream: string): string[] {
  const consumer = `${stream}.${hop.consumer}`;
  return [
    ...["CREATE", "UPDATE", "DELETE", "PURGE", "SNAPSHOT", "RESTORE", "MSG.GET", "MSG.DELETE"].map(
      (what) => `$JS.API.STREAM.${what}.${stream}`,
    ),
    ...["CREATE", "LIST", "NAMES"].map((what) => `$JS.API.CONSUMER.${what}.${stream}`),
    ...["CREATE", "DURABLE.CREATE", "DELETE", "INFO", "MSG.NEXT", "PAUSE", "RESET", "UNPIN"].map(
      (what) => `$JS.API.CONSUMER.${what}.${consumer}`,
    ),
    `$JS.API.CONSUMER.CREATE.${stream}.mine`,
    `$JS.API.CONSUMER.MSG.NEXT.${stream}.mine`,
    `$JS.API.DIRECT.GET.${stream}`,
    `$JS.API.DIRECT.GET.${stream}.${hop.subject}`,
    `$JS.ACK.${consumer}.1.1.1.1.1`,
  ];
}

/** Those of them that a user may send. */
function mayAsk(user: NatsUser, hop: Hop, question: string): boolean {
  if (user === "operator") return question.startsWith("$JS.API.");
  // A writer of this stream compares revisions.
  if (question === "$JS.API.STREAM.MSG.GET.CONFIG" && user === "platform") return true;
  // The user reads dead letters, and moves none.
  if (question === "$JS.API.STREAM.MSG.GET.DEAD" && user === "console") return true;
  // The owner of a partition: its own consumers under any name, which acknowledge nothing, and the purge of
  // finished messages.
  const own = /^\$JS\.API\.(STREAM\.(PURGE|MSG\.GET)\.\w+|CONSUMER\.(CREATE|DELETE|MSG\.NEXT)\.\w+\.\w+)$/;
  return READS[user].includes(hop.stream) && own.test(question) && !question.endsWith("PURGE.CONFIG");
}

/** Every subject to which a user must not publish, and every one that it must not hear. */
export function forbidden(user: NatsUser): { publish: string[]; subscribe: string[] } {
  const inboxes = NATS_USERS.filter((other) => other !== user).map((other) => `_INBOX_${other}.x`);
  return {
    publish: [
      ...HOPS.filter(({ stream }) => !WRITES[user].includes(stream)).flatMap(subjectsOf),
      ...HOPS.flatMap((hop) =>
        streamsOf(hop).flatMap((stream) => questions(hop, stream).filter((one) => !mayAsk(user, hop, one))),
      ),
      ...(user === "operator"
        ? []
        : ["$JS.API.STREAM.LIST", "$JS.API.STREAM.NAMES", "$JS.API.ACCOUNT.PURGE.X"]),
      ...CORE.filter((subject) => !SAYS[user].includes(subject)),
      ...inboxes,
    ],
    subscribe: [
      ">",
      "$JS.>",
      "$SYS.>",
      ...HOPS.flatMap(subjectsOf),
      ...CORE.filter((subject) => !HEARS[user].includes(subject)),
      ...inboxes.map((inbox) => inbox.replace(/x$/, ">")),
    ],
  };
}

/** Those of them that the server refuses to a user. */
export async function refusedTo(
  servers: SecuredServers,
  user: NatsUser,
  { publish, subscribe }: { publish: readonly string[]; subscribe: readonly string[] },
): Promise<{ publish: string[]; subscribe: string[] }> {
  const url = new URL(servers.natsUrl(user));
  const nats = await connect({
    servers: url.host,
    user,
    pass: url.password,
    tls: { caFile: servers.caFile, host: url.hostname } as object,
    inboxPrefix: `_INBOX_${user}`,
  });
  const refused: { publish: string[]; subscribe: string[] } = { publish: [], subscribe: [] };
  const watching = watch(nats, refused);
  for (const subject of publish) nats.publish(subject);
  for (const subject of subscribe) nats.subscribe(subject, { callback: () => {} });
  await nats.flush();
  // The last errors reach the listener in a later turn of the event loop; closing would end it before.
  await new Promise((resolve) => setImmediate(resolve));
  await nats.close();
  await watching;
  return refused;
}

async function watch(
  nats: NatsConnection,
  refused: { publish: string[]; subscribe: string[] },
): Promise<void> {
  for await (const status of nats.status()) {
    if (status.type !== "error" || !(status.error instanceof PermissionViolationError)) continue;
    const { operation, subject } = status.error;
    refused[operation === "publish" ? "publish" : "subscribe"].push(subject);
  }
}
