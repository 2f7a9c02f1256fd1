import ipaddr from "ipaddr.js";
import { type Address, isIn, isPublic, parseAddress, type Range } from "./webhook-target.ts";

/** Proxies in front of this service whose client address header is trusted. */
export type TrustedProxies = readonly Range[];

/** @param cidrs texts for which `isCidr` holds */
export function trustedProxies(cidrs: readonly string[]): TrustedProxies {
  return cidrs.map((cidr) => ipaddr.parseCIDR(cidr));
}

/** Whether a connection comes from one of them. @param peer in the operating system's form */
export function isTrustedProxy(peer: string, proxies: TrustedProxies): boolean {
  const address = parseAddress(peer);
  return address !== undefined && proxies.some((range) => isIn(address, range));
}

/**
 * Where a request comes from, for counting: an IPv4 address, or the /64 of an IPv6 address, which one
 * customer gets.
 *
 * The header counts only from a trusted proxy, and only up to the first address, from the right, that is no
 * trusted proxy: the caller may have written all addresses left of that. If no proxy is configured and the
 * peer's address is not public, the peer may be a proxy of all requests.
 * @param peer the address that the connection comes from
 * @param forwarded the header that proxies write, such as `x-forwarded-for`: addresses with commas between
 * @returns undefined if it cannot be determined
 */
export function clientAddress(
  peer: string,
  forwarded: string | undefined,
  proxies: TrustedProxies,
): string | undefined {
  const address = parseAddress(peer);
  if (address === undefined) return undefined;
  if (proxies.length === 0) return isPublic(address) ? groupOf(address) : undefined;
  const isProxy = (one: Address) => proxies.some((range) => isIn(one, range));
  if (!isProxy(address)) return groupOf(address);
  for (const hop of (forwarded ?? "").split(",").reverse()) {
    const client = parseAddress(withoutPort(hop.trim()));
    if (client === undefined) return undefined;
    if (!isProxy(client)) return groupOf(client);
  }
  return undefined;
}

/** Some proxies write `192.0.2.1:4711` and `[2001:db8::1]:4711`. */
function withoutPort(hop: string): string {
  return /^\[([^\]]*)\](?::\d+)?$/.exec(hop)?.[1] ?? /^([\d.]+):\d+$/.exec(hop)?.[1] ?? hop;
}

function groupOf(address: Address): string {
  if (address.kind() === "ipv4") return `${address}`;
  const parts = (address as ipaddr.IPv6).parts.slice(0, 4);
  return `${parts.map((part) => part.toString(16)).join(":")}::/64`;
}
