import ipaddr from "ipaddr.js";

export type Address = ipaddr.IPv4 | ipaddr.IPv6;
/** A range of addresses: its first one and the bits that are the same in all. */
export type Range = readonly [first: Address, bits: number];

/** `loopback`: plain http to this machine only. */
export const HTTP_TARGETS = ["off", "loopback", "on"] as const;
type HttpTargets = (typeof HTTP_TARGETS)[number];

/** The allowed targets of webhooks, in addition to public addresses over https. */
export interface TargetPolicy {
  readonly http: HttpTargets;
  /** Ranges that are allowed although they are not public. */
  readonly ranges: readonly Range[];
}

/**
 * All global unicast addresses of IPv6 are in 2000::/3 (IANA); the library calls every range without a name unicast.
 */
const GLOBAL_IPV6: Range = [ipaddr.IPv6.parse("2000::"), 3];
/** `localhost` and the names under it always mean these two addresses (RFC 6761); no resolver is asked. */
const LOCALHOST = [ipaddr.IPv4.parse("127.0.0.1"), ipaddr.IPv6.parse("::1")];
/**
 * Names of local networks: `.local` is multicast DNS (RFC 6762), `.internal` is reserved for private use
 * (ICANN).
 */
const LOCAL_NAMES = /(?:^|\.)(?:local|internal)$/;
/** One authority behind two slashes: `new URL` would also repair `https:host` and backslashes. */
const ABSOLUTE = /^(https?):\/\/([^/?#\\\s]+)(?:[/?#][^\\\s]*)?$/i;

/**
 * Ports that belong to other protocols, as browsers refuse them (the Fetch standard, "port blocking"), and 0,
 * which is none: a delivery must not become a mail or a command there.
 */
const CLOSED_PORTS: ReadonlySet<string> = new Set(
  (
    "0 1 7 9 11 13 15 17 19 20 21 22 23 25 37 42 43 53 69 77 79 87 95 101 102 103 104 109 110 111 113 115 117 119 123 " +
    "135 137 139 143 161 179 389 427 465 512 513 514 515 526 530 531 532 540 548 554 556 563 587 601 636 989 990 993 " +
    "995 1719 1720 1723 2049 3659 4045 4190 5060 5061 6000 6566 6665 6666 6667 6668 6669 6679 6697 10080"
  ).split(" "),
);

const MALFORMED = "must be an absolute https URL such as https://example.com/webhooks";
const NOT_PUBLIC =
  "must not point to an address that is not public; the operator can open ranges with STAMPEDE_WEBHOOK_ALLOW_CIDRS";

/** @param cidrs texts such as `10.0.0.0/8` for which `isCidr` holds */
export function targetPolicy(http: HttpTargets, cidrs: readonly string[]): TargetPolicy {
  return { http, ranges: cidrs.map((cidr) => ipaddr.parseCIDR(cidr)) };
}

/**
 * Whether a text is a range of addresses, written in the usual form: four decimal numbers or IPv6, without
 * bits beyond the prefix, which would be a slip. IPv4 in IPv6 (`::ffff:…`) is judged as IPv4, so no range
 * covers it.
 */
export function isCidr(text: string): boolean {
  if (ipaddr.IPv4.isValidCIDRFourPartDecimal(text)) {
    return `${ipaddr.IPv4.networkAddressFromCIDR(text)}` === `${ipaddr.IPv4.parseCIDR(text)[0]}`;
  }
  if (!ipaddr.IPv6.isValidCIDR(text) || text.includes("%")) return false;
  const [first] = ipaddr.IPv6.parseCIDR(text);
  return !first.isIPv4MappedAddress() && `${ipaddr.IPv6.networkAddressFromCIDR(text)}` === `${first}`;
}

/**
 * The fault of a URL as the target of a webhook (contract, section 10), in words that complete "/url …"
 * and say what to do; undefined if nothing is. Looks at the text only. A name that looks public can stand for
 * any address, so `isAllowedAddress` must be asked too when connecting.
 */
export function targetFault(text: string, policy: TargetPolicy): string | undefined {
  const [, scheme, authority] = ABSOLUTE.exec(text) ?? [];
  if (scheme === undefined || authority === undefined || !URL.canParse(text)) return MALFORMED;
  // On the text as written: `new URL` forgets an empty user name and an empty fragment.
  if (authority.includes("@")) {
    return "must not hold a user name or password; leave them out, deliveries are signed";
  }
  if (text.includes("#")) return "must not hold a fragment; leave out the # and what follows";
  const { hostname, port } = new URL(text);
  if (CLOSED_PORTS.has(port)) return `must not use port ${port}, which belongs to another protocol`;
  // `hostname` is in one spelling: decimal, hexadecimal, octal and short IPv4, full-width and encoded
  // characters are resolved.
  const host = hostname.replace(/\.$/, "");
  const literal = parseLiteral(host);
  if (scheme.toLowerCase() === "http" && !allowsHttp(host, literal, policy)) {
    return "must begin with https://; the operator can allow plain http with STAMPEDE_WEBHOOK_ALLOW_HTTP";
  }
  if (literal !== undefined) return isAllowed(literal, policy) ? undefined : NOT_PUBLIC;
  return nameFault(host, policy);
}

/**
 * Whether a webhook may be delivered to this address: it is public unicast, or in a range that the policy
 * opens. Check every address that a name resolves to, and the one really connected to. Refuses a text that is
 * no address.
 * @param address in the form of `dns.lookup` and `socket.remoteAddress`
 */
export function isAllowedAddress(address: string, policy: TargetPolicy): boolean {
  const parsed = parseAddress(address);
  return parsed !== undefined && isAllowed(parsed, policy);
}

/**
 * The addresses of `localhost` and the names under it, without a resolver; undefined for other names.
 */
export function localhostAddresses(name: string): string[] | undefined {
  return isLocalhost(name.replace(/\.$/, "")) ? LOCALHOST.map((address) => `${address}`) : undefined;
}

function nameFault(name: string, policy: TargetPolicy): string | undefined {
  // The DNS cannot hold a name such as `127.0.0.1..`, but a resolver might still resolve it.
  if (name.split(".").includes("")) return MALFORMED;
  if (isLocalhost(name)) {
    return LOCALHOST.every((address) => isAllowed(address, policy)) ? undefined : NOT_PUBLIC;
  }
  if (LOCAL_NAMES.test(name)) {
    return "must not point to a name of a local network (.local, .internal); use a public name, or an address in a range that the operator opened";
  }
  return undefined;
}

function allowsHttp(host: string, literal: Address | undefined, { http }: TargetPolicy): boolean {
  if (http === "loopback") return literal === undefined ? isLocalhost(host) : literal.range() === "loopback";
  return http === "on";
}

const isLocalhost = (name: string): boolean => /(?:^|\.)localhost$/.test(name);

/** The address in the host of a URL; undefined if the host is a name. */
function parseLiteral(host: string): Address | undefined {
  return parseAddress(host.startsWith("[") ? host.slice(1, -1) : host);
}

/**
 * IPv4 in IPv6 (`::ffff:10.0.0.1`) gives the IPv4 address: the operating system's sockets connect to that.
 */
export function parseAddress(text: string): Address | undefined {
  if (ipaddr.IPv4.isValidFourPartDecimal(text)) return ipaddr.IPv4.parse(text);
  // The library reads `::10.0.0.1` as `::ffff:10.0.0.1`, which is another address: so it gets the form
  // without dots.
  const url = `http://[${text}]`;
  if (!/^[0-9a-f:.]+$/i.test(text) || !URL.canParse(url)) return undefined;
  const address = ipaddr.IPv6.parse(new URL(url).hostname.slice(1, -1));
  return address.isIPv4MappedAddress() ? address.toIPv4Address() : address;
}

function isAllowed(address: Address, { ranges }: TargetPolicy): boolean {
  return isPublic(address) || ranges.some((range) => isIn(address, range));
}

/**
 * 6to4, NAT64 and Teredo have their own ranges in the library, so they are not public, with any address inside.
 */
export function isPublic(address: Address): boolean {
  if (address.range() !== "unicast") return false;
  return address.kind() === "ipv4" || isIn(address, GLOBAL_IPV6);
}

export function isIn(address: Address, [first, bits]: Range): boolean {
  return address.kind() === first.kind() && address.match(first, bits);
}
