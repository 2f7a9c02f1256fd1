import { conduct } from "../conduct.ts";
import { describeSurroundings, describeTargets, round, sealLine } from "../record.ts";
import { targetTable, thousands } from "../report.ts";
import { type Servers, startServers } from "../servers.ts";
import { startStampede } from "../subjects/stampede.ts";
import type { TargetResult } from "../targets.ts";
import { alignTable } from "../text-table.ts";
import { createWorld, fillDatabase } from "../world.ts";
import { measurePages, type Pages } from "./measure-pages.ts";
import { MemberRequests } from "./member-requests.ts";
import type { MembersOptions } from "./options.ts";

const DATABASE = "bench_members";
const UPSERTS_PER_SECOND = 20_000;
/** "The same cost", with room for the noise of two medians. */
const LAST_PAGE_AT_MOST = 1.25;

interface MembersResults {
  /** Members a second. */
  readonly created: number;
  readonly updated: number;
  readonly unchanged: number;
  readonly deleted: number;
  readonly pages: Pages;
}

/**
 * The benchmark of bulk member requests and of pages, through one edge.
 * @returns true: what is not as it should be is thrown
 */
export function benchMembers(
  options: MembersOptions,
  say: (text: string) => void,
  print: (text: string) => void,
): Promise<boolean> {
  const benchmark = {
    async open() {
      const servers = await startServers(options.dir);
      return { servers, stop: () => servers.stop() };
    },
    measure: ({ servers }: { servers: Servers }) => measure(options, servers, say),
    judge,
    report: writeReport,
    describe: ({ servers }: { servers: Servers }, ...rest: Measured) => describe(options, servers, ...rest),
    isVerified: () => true,
  };
  return conduct(benchmark, options, { say, print });
}

type Measured = [results: MembersResults, targets: readonly TargetResult[], startedAt: Date];

function describe(
  { mode, seed, members, perRequest }: MembersOptions,
  servers: Servers,
  ...[results, targets, startedAt]: Measured
) {
  return sealLine({
    ...describeSurroundings(mode, servers, startedAt),
    workload: { seed, members, per_request: perRequest },
    members_per_second: {
      created: round(results.created),
      updated: round(results.updated),
      unchanged: round(results.unchanged),
      deleted: round(results.deleted),
    },
    page_ms: { first: round(results.pages.first), last: round(results.pages.last) },
    targets: describeTargets(targets),
  });
}

async function measure(
  options: MembersOptions,
  servers: Servers,
  say: (text: string) => void,
): Promise<MembersResults> {
  const { seed, members, pages: times } = options;
  await servers.execute("stampede", `create database ${DATABASE}`);
  const world = createWorld(seed, 0);
  await fillDatabase(servers.databaseUrl(DATABASE), seed, world);
  const subject = await startStampede({ servers, database: DATABASE, edgeOnly: true });
  const requests = new MemberRequests(subject.url, options, world);
  try {
    say(`creating ${members} members`);
    const created = await requests.upsertAll("gold");
    await servers.execute(DATABASE, "vacuum analyze members");
    say("pages of 1000");
    const pages = await measurePages(requests, members, times);
    say("updating all of them");
    const updated = await requests.upsertAll("silver");
    say("the same once more, which changes nothing");
    const unchanged = await requests.upsertAll("silver");
    say("deleting all of them");
    const deleted = await requests.deleteAll();
    return { created, updated, unchanged, deleted, pages };
  } finally {
    await requests.close();
    await subject.stop();
  }
}

function judge({ created, updated, pages }: MembersResults): TargetResult[] {
  const atLeast = (name: string, value: number): TargetResult => ({
    name,
    value,
    bound: "at least",
    target: UPSERTS_PER_SECOND,
    unit: "members/s",
    met: value >= UPSERTS_PER_SECOND,
  });
  const ratio = pages.last / pages.first;
  return [
    atLeast("bulk upsert, new members", created),
    atLeast("bulk upsert, changed members", updated),
    {
      name: "last page against the first",
      value: ratio,
      bound: "at most",
      target: LAST_PAGE_AT_MOST,
      unit: "×",
      met: ratio <= LAST_PAGE_AT_MOST,
    },
  ];
}

function writeReport(results: MembersResults, targets: readonly TargetResult[]): string {
  const { pages } = results;
  const speeds = alignTable([
    ["members", "members/s"],
    ...(["created", "updated", "unchanged", "deleted"] as const).map((what) => [
      what,
      thousands(results[what]),
    ]),
  ]);
  const paging = `pages of 1000: first ${pages.first.toFixed(1)} ms, last ${pages.last.toFixed(1)} ms (medians)`;
  const verified = "verified: every request answered with as many ids, pages and totals as there are members";
  return `${[speeds, paging, targetTable(targets), verified].join("\n\n")}\n`;
}
