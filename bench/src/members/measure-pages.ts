import type { MemberRequests } from "./member-requests.ts";

const LIMIT = 1000;

/** Milliseconds, medians. */
export interface Pages {
  readonly first: number;
  readonly last: number;
}

interface MemberPage {
  readonly data: readonly { readonly ref: string }[];
  readonly page: { readonly cursor: string | null; readonly total: number };
}

/**
 * Walks all members once, which finds the last page and holds the walk to what was stored; then asks for the first page
 * and the last in turn.
 * @throws Error when the walk is not whole and in order
 */
export async function measurePages(requests: MemberRequests, members: number, times: number): Promise<Pages> {
  const list = async (cursor: string | null): Promise<MemberPage> =>
    (await requests.ask("member/list", { pagination: { limit: LIMIT, cursor } })) as MemberPage;
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
      if (data.length !== LIMIT) throw new Error(`the ${name} page has ${data.length} members`);
    }
  }
  return { first: middle(spent.first), last: middle(spent.last) };
}

function middle(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1] as number;
}
