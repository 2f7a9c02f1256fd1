import { lookup, Resolver } from "node:dns/promises";

/**
 * All addresses that a name has, IPv4 before IPv6.
 * @throws when it has none, or when that cannot be found out
 */
export type ResolveHost = (name: string) => Promise<readonly string[]>;

/** Within the 15 s of an attempt it leaves room for a second question and for the request. */
const QUERY_MS = 2_500;
const QUERIES = 2;

export interface ResolverOptions {
  /** Name servers, `address:port`. Default: those of the machine. */
  readonly servers?: readonly string[];
  /** How long one question waits for its answer. */
  readonly queryMs?: number;
}

/**
 * Asks the name servers of the machine. Not by `lookup` in the first place: it holds a thread for as long as a name
 * server is silent, there are four for everything, and a few names like that would keep all other webhooks from being
 * resolved. What the name servers do not know may be in the file of hosts or under a search domain: that is asked next.
 */
export function createResolver({ servers, queryMs = QUERY_MS }: ResolverOptions = {}): ResolveHost {
  const resolver = new Resolver({ timeout: queryMs, tries: QUERIES });
  if (servers !== undefined) resolver.setServers(servers);
  return async (name) => {
    const [four, six] = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
    const found = [four, six].flatMap((answer) => (answer.status === "fulfilled" ? answer.value : []));
    if (found.length > 0) return found;
    for (const answer of [four, six]) {
      if (answer.status === "rejected" && answer.reason.code === "ETIMEOUT") throw answer.reason;
    }
    return (await lookup(name, { all: true, order: "ipv4first" })).map(({ address }) => address);
  };
}
