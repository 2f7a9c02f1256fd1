import assert from "node:assert/strict";
import fc from "fast-check";
import t from "tap";
import { isAllowedAddress, isCidr, targetFault, targetPolicy } from "./webhook-target.ts";

const STRICT = targetPolicy("off", []);
const EVERYTHING = targetPolicy("on", ["0.0.0.0/0", "::/0"]);
const LOOPBACK = targetPolicy("loopback", ["127.0.0.0/8", "::1/128"]);

const MALFORMED = /^must be an absolute https URL such as /;
const PLAIN =
  /^must begin with https:\/\/; the operator can allow plain http with STAMPEDE_WEBHOOK_ALLOW_HTTP$/;
const USER = /^must not hold a user name or password/;
const FRAGMENT = /^must not hold a fragment/;
const ADDRESS = /^must not point to an address that is not public; .*STAMPEDE_WEBHOOK_ALLOW_CIDRS$/;
const PORT = /^must not use port \d+, which belongs to another protocol$/;
const LOCAL = /^must not point to a name of a local network/;

/** Faults of the text itself: no setting allows it. */
const MALFORMED_URLS: ReadonlyArray<readonly [url: string, fault: RegExp]> = [
  ["", MALFORMED],
  ["example.com/hooks", MALFORMED],
  ["//example.com/hooks", MALFORMED],
  ["/hooks", MALFORMED],
  ["ftp://example.com/", MALFORMED],
  ["file:///etc/passwd", MALFORMED],
  ["javascript:alert(1)", MALFORMED],
  ["data:text/plain,x", MALFORMED],
  ["gopher://example.com/", MALFORMED],
  ["ws://example.com/", MALFORMED],
  ["blob:https://example.com/x", MALFORMED],
  ["https://", MALFORMED],
  ["https:example.com", MALFORMED],
  ["https:/example.com", MALFORMED],
  ["https:///example.com", MALFORMED],
  ["https:\\\\example.com\\hooks", MALFORMED],
  ["https://example.com\\@127.0.0.1/", MALFORMED],
  [" https://example.com/", MALFORMED],
  ["https://example.com/ ", MALFORMED],
  ["https://exa mple.com/", MALFORMED],
  ["https://example.com:65536/", MALFORMED],
  ["https://example.com:port/", MALFORMED],
  ["https://.example.com/", MALFORMED],
  ["https://example..com/", MALFORMED],
  ["https://./", MALFORMED],
  ["https://127.0.0.1../", MALFORMED],
  ["https://256.1.1.1/", MALFORMED],
  ["https://1.2.3.4.5/", MALFORMED],
  ["https://[::1/", MALFORMED],
  ["https://[fe80::1%25eth0]/", MALFORMED],
  ["https://user@example.com/", USER],
  ["https://user:password@example.com/", USER],
  ["https://:password@example.com/", USER],
  ["https://@example.com/", USER],
  ["https://example.com@127.0.0.1/", USER],
  ["https://example.com/#top", FRAGMENT],
  ["https://example.com/#", FRAGMENT],
  ["https://example.com:0/", PORT],
  ["https://example.com:22/", PORT],
  ["https://example.com:0025/", PORT],
  ["https://example.com:6667/hooks", PORT],
  ["https://[2606:4700::1111]:53/", PORT],
  ["https://printer.local/", LOCAL],
  ["https://local/", LOCAL],
  ["https://hooks.corp.internal/", LOCAL],
  ["https://metadata.google.internal/computeMetadata/v1/", LOCAL],
  ["https://internal/", LOCAL],
  ["https://HOOKS.Internal./", LOCAL],
];

/** Hosts that are no public unicast address, in every spelling that a URL allows. */
const CLOSED_HOSTS = [
  // loopback
  "127.0.0.1",
  "127.255.255.254",
  "127.1",
  "127.0.1",
  "2130706433",
  "017700000001",
  "0x7f000001",
  "0X7F.0x0.0x0.0x1",
  "0177.0.0.01",
  "0x7f.1",
  "127.0.0.1.",
  "%31%32%37.0.0.1",
  "１２７.０.０.１",
  "127。0。0。1",
  "[::1]",
  "[0:0:0:0:0:0:0:1]",
  "[0000:0000:0000:0000:0000:0000:0000:0001]",
  "localhost",
  "LOCALHOST",
  "localhost.",
  "ⓛocalhost",
  "local\u00adhost",
  "api.localhost",
  // this host
  "0.0.0.0",
  "0",
  "0x0",
  "0.1.2.3",
  "[::]",
  // private
  "10.0.0.1",
  "10.1",
  "167772161",
  "012.0.0.1",
  "0xa.0x0.0x0.0x1",
  "172.16.0.1",
  "172.31.255.255",
  "192.168.0.1",
  "192.168.257",
  "0xc0a80001",
  // carrier-grade NAT, link-local with the clouds' metadata, protocol assignments
  "100.64.0.1",
  "100.127.255.255",
  "169.254.169.254",
  "2852039166",
  "0xa9fea9fe",
  "192.0.0.1",
  // documentation, benchmarks, 6to4 relays, multicast, reserved, broadcast
  "192.0.2.1",
  "198.51.100.1",
  "203.0.113.1",
  "198.18.0.1",
  "198.19.255.255",
  "192.88.99.1",
  "224.0.0.1",
  "239.255.255.255",
  "240.0.0.1",
  "255.255.255.255",
  "4294967295",
  // IPv4 in IPv6: mapped, compatible, translated, NAT64, 6to4, Teredo
  "[::ffff:127.0.0.1]",
  "[::ffff:7f00:1]",
  "[0:0:0:0:0:FFFF:10.0.0.1]",
  "[::ffff:169.254.169.254]",
  "[::127.0.0.1]",
  "[::7f00:1]",
  "[::ffff:0:127.0.0.1]",
  "[64:ff9b::127.0.0.1]",
  "[64:ff9b::a00:1]",
  "[64:ff9b::808:808]",
  "[64:ff9b:1::a00:1]",
  "[2002:7f00:1::]",
  "[2002:a00:1::1]",
  "[2002:808:808::1]",
  "[2001:0:808:808::1]",
  // IPv6: unique local, link-local, site-local, multicast, documentation, discard, benchmarks, ORCHID, never
  // assigned
  "[fc00::1]",
  "[fd12:3456:789a::1]",
  "[fe80::1]",
  "[febf::1]",
  "[fec0::1]",
  "[ff02::1]",
  "[2001:db8::1]",
  "[3fff::1]",
  "[100::1]",
  "[2001:2::1]",
  "[2001:10::1]",
  "[2001:20::1]",
  "[5f00::1]",
  "[4000::1]",
  "[e000::1]",
];

const OPEN_URLS = [
  "https://example.com",
  "https://example.com/",
  "HTTPS://EXAMPLE.com:8443/hooks?tenant=a@b&x=%23",
  "https://example.com./hooks",
  "https://hooks.example.com/päth",
  "https://bücher.example/",
  "https://localhost.example.com/",
  "https://notlocalhost/",
  "https://internal.example.com/",
  "https://mylocal/",
  "https://127.0.0.1.example.com/",
  "https://8.8.8.8/",
  "https://134744072/",
  "https://172.15.255.255/",
  "https://172.32.0.1/",
  "https://100.63.255.255/",
  "https://[2606:4700::1111]:8443/",
  "https://[::ffff:8.8.8.8]/",
];

t.test("webhook target - a text that is no proper https URL is refused under every policy", async (t) => {
  for (const [url, fault] of MALFORMED_URLS) {
    t.match(targetFault(url, STRICT) ?? "accepted", fault, JSON.stringify(url));
    t.match(targetFault(url, EVERYTHING) ?? "accepted", fault, `${JSON.stringify(url)}, everything allowed`);
  }
});

t.test("webhook target - no address but public unicast, in any spelling", async (t) => {
  for (const host of CLOSED_HOSTS) {
    for (const url of [`https://${host}/hooks`, `https://${host}:8443`, `HTTPS://${host}?x`]) {
      t.match(targetFault(url, STRICT) ?? "accepted", ADDRESS, url);
    }
    t.match(targetFault(`http://${host}/hooks`, STRICT) ?? "accepted", PLAIN, `http ${host}`);
  }
});

t.test("webhook target - public names and addresses are accepted", async (t) => {
  for (const url of OPEN_URLS) t.equal(targetFault(url, STRICT), undefined, url);
});

t.test("webhook target - plain http only where it is allowed", async (t) => {
  const url = "http://example.com/hooks";
  t.match(targetFault(url, STRICT), PLAIN);
  t.equal(targetFault(url, targetPolicy("on", [])), undefined);
  t.match(targetFault("http://127.0.0.1/", targetPolicy("on", [])), ADDRESS, "it opens no range");
});

t.test("webhook target - the all-in-one start opens loopback, and http to it alone", async (t) => {
  for (const host of [
    "127.0.0.1",
    "127.9.9.9",
    "0x7f.1",
    "[::1]",
    "[::ffff:127.0.0.1]",
    "localhost",
    "a.localhost",
  ]) {
    for (const scheme of ["http", "https"]) {
      t.equal(targetFault(`${scheme}://${host}:9000/hooks`, LOOPBACK), undefined, `${scheme} ${host}`);
    }
  }
  for (const host of ["example.com", "8.8.8.8", "[2606:4700::1111]", "localhost.example.com"]) {
    t.match(targetFault(`http://${host}/`, LOOPBACK), PLAIN, `http ${host}`);
    t.equal(targetFault(`https://${host}/`, LOOPBACK), undefined, `https ${host}`);
  }
  for (const host of ["10.0.0.1", "169.254.169.254", "[fe80::1]", "0.0.0.0", "[::]", "[64:ff9b::7f00:1]"]) {
    t.match(targetFault(`https://${host}/`, LOOPBACK), ADDRESS, host);
  }
  t.match(
    targetFault("https://localhost/", targetPolicy("off", ["127.0.0.0/8"])),
    ADDRESS,
    "localhost is both loopback addresses, so both must be open",
  );
});

t.test("webhook target - a range opens its addresses, to its edges, in every spelling", async (t) => {
  const policy = targetPolicy("off", ["10.20.0.0/16", "192.168.7.9/32", "fd00:1::/32"]);
  for (const host of [
    "10.20.0.0",
    "10.20.255.255",
    "0xa.0x14.1",
    "[::ffff:10.20.0.1]",
    "192.168.7.9",
    "[fd00:1::]",
    "[fd00:1:ffff:ffff:ffff:ffff:ffff:ffff]",
  ]) {
    t.equal(targetFault(`https://${host}/`, policy), undefined, host);
  }
  for (const host of [
    "10.19.255.255",
    "10.21.0.0",
    "192.168.7.8",
    "192.168.7.10",
    "[fd00:2::]",
    "[fd00::ffff]",
    "[::10.20.0.1]",
    "[64:ff9b::10.20.0.1]",
    "[2002:a14:1::]",
    "127.0.0.1",
  ]) {
    t.match(targetFault(`https://${host}/`, policy) ?? "accepted", ADDRESS, host);
  }
});

t.test("webhook target - an address is judged like the URL that holds it", async (t) => {
  const addresses = [...CLOSED_HOSTS, "8.8.8.8", "[2606:4700::1111]", "[::ffff:8.8.8.8]"]
    .filter((host) => /^\[|^\d+\.\d+\.\d+\.\d+$/.test(host) && !/(?:^|\.)0\d/.test(host))
    .map((host) => host.replace(/^\[(.*)\]$/, "$1"));
  t.ok(addresses.length > 50);
  for (const policy of [STRICT, LOOPBACK, EVERYTHING]) {
    for (const address of addresses) {
      const host = address.includes(":") ? `[${address}]` : address;
      const open = targetFault(`https://${host}/`, policy) === undefined;
      t.equal(isAllowedAddress(address, policy), open, address);
    }
  }
  t.notOk(isAllowedAddress("::8.8.8.8", STRICT), "which is not ::ffff:8.8.8.8");
});

t.test("webhook target - a text that is no address is not allowed", async (t) => {
  for (const text of [
    "",
    "example.com",
    "localhost",
    "127.1",
    "08.8.8.8",
    "8.8.8",
    "8.8.8.8 ",
    "[::1]",
    "::1]/",
    "::1%lo",
  ]) {
    t.notOk(isAllowedAddress(text, EVERYTHING), JSON.stringify(text));
  }
});

t.test(
  "webhook target - every private IPv4 address is closed, as a number, in hexadecimal and in octal",
  async () => {
    const first: ReadonlyArray<readonly [number, number]> = [
      [0x0a000000, 24],
      [0x7f000000, 24],
      [0xac100000, 20],
      [0xc0a80000, 16],
      [0xa9fe0000, 16],
      [0x64400000, 22],
      [0xe0000000, 28],
    ];
    const number = fc
      .constantFrom(...first)
      .chain(([start, bits]) => fc.integer({ min: 0, max: 2 ** bits - 1 }).map((rest) => start + rest));
    fc.assert(
      fc.property(number, (n) => {
        const bytes = [n >>> 24, (n >>> 16) & 255, (n >>> 8) & 255, n & 255];
        for (const host of [
          String(n),
          `0x${n.toString(16)}`,
          `0${n.toString(8)}`,
          bytes.join("."),
          bytes.map((byte) => `0x${byte.toString(16)}`).join("."),
          bytes.map((byte) => `0${byte.toString(8)}`).join("."),
          `${bytes[0]}.${n & 0xffffff}`,
          `[::ffff:${bytes.join(".")}]`,
          `[64:ff9b::${bytes.join(".")}]`,
        ]) {
          assert.match(targetFault(`https://${host}/`, STRICT) ?? "accepted", ADDRESS, host);
        }
      }),
      { seed: 20_261_121, numRuns: 300 },
    );
  },
);

t.test("webhook target - a range is written in one way, without bits beyond its prefix", async (t) => {
  for (const cidr of [
    "10.0.0.0/8",
    "127.0.0.1/32",
    "0.0.0.0/0",
    "192.168.4.0/22",
    "::1/128",
    "fd00::/8",
    "::/0",
  ]) {
    t.ok(isCidr(cidr), cidr);
  }
  for (const text of [
    "",
    "10.0.0.0",
    "10.0.0.0/",
    "10.0.0.0/33",
    "10.0.0.0/-1",
    "10.0.0.1/8",
    "10/8",
    "010.0.0.0/8",
    "0x0a.0.0.0/8",
    "10.0.0.0/255.0.0.0",
    " 10.0.0.0/8",
    "10.0.0.0/8 ",
    "fd00::1/8",
    "fd00::/129",
    "::ffff:10.0.0.0/104",
    "fe80::%eth0/10",
    "example.com/8",
    "localhost",
  ]) {
    t.notOk(isCidr(text), JSON.stringify(text));
  }
});
