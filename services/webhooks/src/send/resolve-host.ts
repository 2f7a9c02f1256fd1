import { Resolver } from "node:dns/promises";
import { readFile } from "node:fs/promises";
import { isIP, isIPv4 } from "node:net";

/**
 * All addresses that a name has, IPv4 before IPv6.
 * @throws when it has none, or when that cannot be found out
 */
export type ResolveHost = (name: string) => Promise<readonly string[]>;

/** Leaves room in the 15 s of an attempt for a second query and for the request. */
const QUERY_MS = 2_500;
const QUERIES = 2;
/** How long a read of the machine's files is reused. */
const FILES_MS = 5_000;
/** Search domains that are tried, as the C library does. */
const SEARCHED = 6;

export interface ResolverOptions {
  /** Name servers, `address:port`. Default: those of the machine. */
  readonly servers?: readonly string[];
  /** How long one query waits for its answer. */
  readonly queryMs?: number;
  /** The file of hosts, and that with the search domains. Default: those of the machine. */
  readonly hostsFile?: string;
  readonly searchFile?: string;
}

/**
 * Looks a name up in the machine's hosts file, and asks its name servers, for the name and then for the name below each search domain.
 *
 * It does not use `lookup` of the C library, which holds a thread while a name server is silent, and Node has four threads. A few names
 * with silent servers would keep all others from being resolved.
 */
export function createResolver({
  servers,
  queryMs = QUERY_MS,
  hostsFile = "/etc/hosts",
  searchFile = "/etc/resolv.conf",
}: ResolverOptions = {}): ResolveHost {
  const makeResolver = () => {
    const made = new Resolver({ timeout: queryMs, tries: QUERIES });
    if (servers !== undefined) made.setServers(servers);
    return made;
  };
  /** Shared: it learns which name servers answer. */
  let resolver = makeResolver();
  let machine: string | undefined;
  const hosts = readNowAndThen(hostsFile, parseHosts);
  const search = readNowAndThen(searchFile, (text) => {
    // A resolver keeps the name servers that the machine had when it was made.
    if (machine !== text) resolver = makeResolver();
    machine = text;
    return parseSearch(text);
  });
  /**
   * Of one whole name; an error that says why not.
   *
   * The shared resolver also learns how long answers take, and soon waits only five times as long: it would never find a name whose
   * servers take a second beside names that are answered at once. So if it gives up early, a new one, which waits its full time, asks again.
   */
  const ask = async (name: string): Promise<readonly string[] | Error> => {
    const askedAt = performance.now();
    return askBy(resolver, name).catch((error) => {
      if (performance.now() - askedAt >= queryMs * QUERIES) throw error;
      return askBy(makeResolver(), name);
    });
  };
  /** @throws if no name server answered in time */
  const askBy = async (by: Resolver, name: string): Promise<readonly string[] | Error> => {
    const answers = await Promise.allSettled([by.resolve4(name), by.resolve6(name)]);
    const found = answers.flatMap((answer) => (answer.status === "fulfilled" ? answer.value : []));
    if (found.length > 0) return found;
    const reasons = answers.flatMap((answer) => (answer.status === "rejected" ? [answer.reason] : []));
    // The answer is unknown, and the next query would take as long.
    const silent = reasons.find(({ code }) => code === "ETIMEOUT");
    if (silent !== undefined) throw silent;
    return reasons[0] ?? new Error(`${name} has no address`);
  };
  return async (name) => {
    const known = (await hosts()).get(name.replace(/\.$/, "").toLowerCase());
    if (known !== undefined) return known;
    const domains = await search();
    const found = await ask(name);
    if (!(found instanceof Error)) return found;
    if (!name.endsWith(".")) {
      for (const domain of domains) {
        const below = await ask(`${name}.${domain}`);
        if (!(below instanceof Error)) return below;
      }
    }
    throw found;
  };
}

/** Reads a file that may change; one that cannot be read is empty. */
function readNowAndThen<T>(path: string, parse: (text: string) => T): () => Promise<T> {
  let read: { readonly at: number; readonly content: Promise<T> } | undefined;
  return () => {
    const at = performance.now();
    if (read === undefined || at - read.at > FILES_MS) {
      const content = readFile(path, "utf8").then(parse, () => parse(""));
      read = { at, content };
    }
    return read.content;
  };
}

function linesOf(text: string): string[][] {
  return text.split("\n").map((line) =>
    line
      .replace(/[#;].*/, "")
      .trim()
      .split(/\s+/),
  );
}

function parseHosts(text: string): ReadonlyMap<string, readonly string[]> {
  const hosts = new Map<string, string[]>();
  for (const [address = "", ...names] of linesOf(text)) {
    if (isIP(address) === 0) continue;
    for (const name of names) {
      const all = hosts.get(name.toLowerCase()) ?? [];
      hosts.set(name.toLowerCase(), isIPv4(address) ? [address, ...all] : [...all, address]);
    }
  }
  return hosts;
}

/** The last `search` or `domain` of a resolv.conf counts. */
function parseSearch(text: string): readonly string[] {
  const [, ...domains] = linesOf(text).findLast(([word]) => word === "search" || word === "domain") ?? [];
  return domains
    .slice(0, SEARCHED)
    .map((domain) => domain.replace(/\.$/, ""))
    .filter((domain) => domain !== "");
}
