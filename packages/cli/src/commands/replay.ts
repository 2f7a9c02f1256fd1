import { readFileSync } from "node:fs";
import type { Command } from "commander";
import { uuidv7 } from "uuidv7";
import { FLOW } from "#contract";
import type { RedriveMessage } from "#contract/ingest";
import { decodeId, encodeId, groupBy, partitionOf } from "#domain";
import { publishOrThrow, readPartitions, type Stream, subjectName } from "#nats";
import type { Store } from "#postgres";
import { readSettings } from "#runtime";
import { CommandError } from "../command-error.ts";
import { printable } from "../listen/print-event.ts";
import {
  countReplayRejections,
  describeOpen,
  membersThere,
  type ReplayRejection,
  readRejectedMembers,
  readReplayRejections,
  removeReplayRejections,
} from "../replay/replay-rejections.ts";
import { findDatabase, withDatabase, withStream } from "../servers.ts";
import type { CommandContext, Terminal } from "../terminal.ts";

/** Events that are read, published and removed together. A message of them is far below a mebibyte. */
const PAGE = 500;

export function addReplayCommands(program: Command, { terminal, env, exit }: CommandContext): void {
  const replay = program.command("replay").description("events of members that the restored database lacks");
  replay
    .command("rejected")
    .description("list the events, tab-separated: time, organisation, member, external_id")
    .option("--members", "a line for each member instead: organisation, member, events, first, last", false)
    .action(({ members }: { members: boolean }) =>
      withDatabase(findDatabase(readSettings(env)), (store) =>
        members ? listMembers(store, terminal) : listRejected(store, terminal),
      ),
    );
  replay
    .command("again")
    .description("apply the events of members that were made again; safe to repeat; fails if events are left")
    .option("--members <file>", "file with a line for each member that was made again: old id, new id")
    .action(async ({ members }: { members?: string }) => {
      const settings = readSettings(env);
      const newIds = members === undefined ? new Map<string, string>() : readNewIds(members);
      await withDatabase(findDatabase(settings), (store) =>
        withStream(settings, async (stream) => {
          if (!(await applyAgain(store, stream, newIds, terminal))) exit(1);
        }),
      );
    });
  replay
    .command("discard")
    .description("remove for good the events of members that will not be made again")
    .argument("[members...]", "from the third column of `replay rejected`")
    .option("--all", "the events of all members", false)
    .option("--yes", "do it; without --yes, the events are only counted", false)
    .action(async (members: string[], { all, yes }: { all: boolean; yes: boolean }) => {
      const chosen = readMembers(members, all);
      await withDatabase(findDatabase(readSettings(env)), async (store) => {
        const events = await discard(store, chosen, yes);
        if (yes) return terminal.out(`${events} discarded`);
        terminal.out(`${events} would be discarded: nothing was changed, add --yes to do it`);
        exit(1);
      });
    });
}

/** As UUIDs; undefined: all. */
function readMembers(ids: readonly string[], all: boolean): ReadonlySet<string> | undefined {
  if (ids.length > 0 === all) throw new CommandError("name the members, or give --all; one of these");
  if (all) return undefined;
  return new Set(
    ids.map((id) => {
      const member = decodeId("m", id);
      if (member === undefined) throw new CommandError(`"${id}" is no id of a member`);
      return member;
    }),
  );
}

/**
 * Removes the events of these members, a page at a time; after a kill the command can be repeated.
 * @param isMeant false: only counts them
 * @returns the number of events
 */
async function discard(
  store: Store,
  members: ReadonlySet<string> | undefined,
  isMeant: boolean,
): Promise<number> {
  let events = 0;
  for await (const page of readPages(store)) {
    const chosen = page.filter(({ memberId }) => members?.has(memberId) ?? true);
    const places = chosen.map(({ place }) => place);
    if (isMeant) await removeReplayRejections(store, places);
    events += chosen.length;
  }
  return events;
}

async function listRejected(store: Store, terminal: Terminal): Promise<void> {
  for await (const page of readPages(store)) {
    for (const { keptAt, organisationId, memberId, externalId } of page) {
      const columns = [
        keptAt.toISOString(),
        encodeId("org", organisationId),
        encodeId("m", memberId),
        externalId,
      ];
      terminal.out(columns.map(printable).join("\t"));
    }
  }
  terminal.err(describeOpen(await countReplayRejections(store)));
}

async function listMembers(store: Store, terminal: Terminal): Promise<void> {
  for (const { organisationId, memberId, events, first, last } of await readRejectedMembers(store)) {
    const ids = [encodeId("org", organisationId), encodeId("m", memberId)];
    terminal.out([...ids, events, first.toISOString(), last.toISOString()].join("\t"));
  }
  terminal.err(describeOpen(await countReplayRejections(store)));
}

async function* readPages(store: Store): AsyncGenerator<ReplayRejection[]> {
  for (let after = 0; ; ) {
    const page = await readReplayRejections(store, after, PAGE);
    if (page.length > 0) yield page;
    if (page.length < PAGE) return;
    after = page.at(-1)?.place as number;
  }
}

/**
 * Publishes events to the streams that they came from, and removes them here, in their order.
 *
 * It publishes before it removes: after a kill in between, the next run publishes them again, and an event that its transaction
 * has seen changes nothing. The same holds if two run at once, or the integrator sent the events again under the new ids.
 * @returns whether none is left
 */
async function applyAgain(
  store: Store,
  stream: Stream,
  newIds: ReadonlyMap<string, string>,
  terminal: Terminal,
): Promise<boolean> {
  const partitions = await readPartitions(stream);
  let done = 0;
  for await (const page of readPages(store)) {
    const renamed = page.map((one) => ({ ...one, memberId: newIds.get(one.memberId) ?? one.memberId }));
    const there = await membersThere(store, renamed);
    const applicable = renamed.filter(({ memberId }) => there.has(memberId));
    await publishEvents(stream, applicable, partitions);
    await removeReplayRejections(
      store,
      applicable.map(({ place }) => place),
    );
    done += applicable.length;
  }
  const left = await countReplayRejections(store);
  terminal.out(`${done} put back`);
  if (left.events > 0) terminal.err(describeOpen(left));
  return left.events === 0;
}

async function publishEvents(
  stream: Stream,
  events: readonly ReplayRejection[],
  partitions: number,
): Promise<void> {
  const byPartition = groupBy(events, ({ externalId }) => partitionOf(externalId, partitions));
  await Promise.all(
    [...byPartition].map(([partition, own]) => {
      const rows = own.map(({ event, memberId }) => ({ ...JSON.parse(event), memberId }));
      const message: RedriveMessage = { v: 1, rows };
      // A new id each time, because a second attempt may hold more events.
      return publishOrThrow(stream, {
        subject: subjectName(stream, FLOW.ingest, partition),
        payload: JSON.stringify(message),
        id: `replay-${uuidv7()}`,
      });
    }),
  );
}

/** Old ids of members and their new ones, as UUIDs. */
function readNewIds(file: string): Map<string, string> {
  const newIds = new Map<string, string>();
  for (const [at, line] of readFileSync(file, "utf8").split(/\r?\n/).entries()) {
    if (line.trim() === "") continue;
    const [before, now, ...more] = line
      .trim()
      .split(/[\s,;]+/)
      .map((id) => decodeId("m", id));
    if (before === undefined || now === undefined || more.length > 0) {
      throw new CommandError(
        `${file}, line ${at + 1}: it takes two ids of members, the old one and the new one`,
      );
    }
    if ((newIds.get(before) ?? now) !== now) {
      throw new CommandError(`${file}, line ${at + 1}: an earlier line gives this old id another new one`);
    }
    newIds.set(before, now);
  }
  return newIds;
}
