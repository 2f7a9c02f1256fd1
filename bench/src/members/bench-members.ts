import { createWorld, fillDatabase } from "../ingest/world.ts";
import type { Benchmark, Setting } from "../kit/benchmark.ts";
import { alignTable, least, most, thousands } from "../kit/report.ts";
import { startStampede } from "../kit/subjects.ts";
import { middle } from "../kit/timeline.ts";
import { MemberRequests } from "./member-requests.ts";
import { MEMBERS_OPTIONS, type MembersOptions, PAGE } from "./options.ts";

const DATABASE = "bench_members";
const UPSERTS_PER_SECOND = 20_000;
/** "The same cost", with room for the noise of two medians. */
const LAST_PAGE_AT_MOST = 1.25;

interface MembersResults {
  /** Members a second. */
  readonly speeds: Readonly<Record<"created" | "updated" | "unchanged" | "deleted", number>>;
  readonly pages: Pages;
}

/** The benchmark of bulk member requests and of pages, through one edge. Unexpected results throw. */
export const BENCH_MEMBERS: Benchmark<MembersOptions, MembersResults> = {
  arguments: MEMBERS_OPTIONS,
  measure,
  judge: ({ speeds, pages }) => [
    least("bulk upsert, new members", speeds.created, UPSERTS_PER_SECOND, "members/s"),
    least("bulk upsert, changed members", speeds.updated, UPSERTS_PER_SECOND, "members/s"),
    most("last page against the first", pages.last / pages.first, LAST_PAGE_AT_MOST),
  ],
  report: ({ speeds, pages }) => [
    alignTable([
      ["members", "members/s"],
      ...Object.entries(speeds).map(([what, speed]) => [what, thousands(speed)]),
    ]),
    `pages of 1000: first ${pages.first.toFixed(1)} ms, last ${pages.last.toFixed(1)} ms (medians)`,
  ],
  record: ({ speeds, pages }) => ({ members_per_second: speeds, page_ms: pages }),
  verdict: () => ({
    faults: [],
    holds: "every request answered with as many ids, pages and totals as there are members",
  }),
};

async function measure({ servers, options, say }: Setting<MembersOptions>): Promise<MembersResults> {
  const { seed, members, pages: times } = options;
  await servers.execute("stampede", `create database ${DATABASE}`);
  const world = createWorld(seed, 0);
  await fillDatabase(servers.databaseUrl(DATABASE), seed, world);
  const subject = await startStampede({ servers, database: DATABASE, behind: [] });
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
    return { speeds: { created, updated, unchanged, deleted }, pages };
  } finally {
    await requests.close();
    await subject.stop();
  }
}

/** Milliseconds, medians. */
interface Pages {
  readonly first: number;
  readonly last: number;
}

interface MemberPage {
  readonly data: readonly { readonly ref: string }[];
  readonly page: { readonly cursor: string | null; readonly total: number };
}

/**
 * Walks all members once, which finds the last page and compares the walk with the stored members; then
 * requests the first page and the last in turn.
 * @throws Error if the walk is incomplete or out of order
 */
async function measurePages(requests: MemberRequests, members: number, times: number): Promise<Pages> {
  const list = async (cursor: string | null): Promise<MemberPage> =>
    (await requests.ask("member/list", { pagination: { limit: PAGE, cursor } })) as MemberPage;
  const refs = new Set<string>();
  let last: string | null = null;
  for (let cursor: string | null = null; ; ) {
    const { data, page } = await list(cursor);
    for (const { ref } of data) refs.add(ref);
    if (page.total !== members) throw new Error(`total is ${page.total}, not ${members}`);
    if (page.cursor === null) break;
    cursor = page.cursor;
    last = cursor;
  }
  if (refs.size !== members) throw new Error(`a walk found ${refs.size} members of ${members}`);
  const spent = { first: [] as number[], last: [] as number[] };
  for (let i = 0; i < times; i++) {
    for (const [name, cursor] of [["first", null] as const, ["last", last] as const]) {
      const startedAt = performance.now();
      const { data } = await list(cursor);
      spent[name].push(performance.now() - startedAt);
      if (data.length !== PAGE) throw new Error(`the ${name} page has ${data.length} members`);
    }
  }
  return { first: middle(spent.first), last: middle(spent.last) };
}
