import t from "tap";
import { clientAddress, trustedProxies } from "./client-address.ts";

const NONE = trustedProxies([]);
const PROXIES = trustedProxies(["10.0.0.0/8", "2001:db8:ffff::/48"]);

t.test("client address - without proxies: the peer, if its address is public", async (t) => {
  t.equal(clientAddress("8.8.8.8", undefined, NONE), "8.8.8.8");
  t.equal(clientAddress("8.8.8.8", "9.9.9.9", NONE), "8.8.8.8", "anybody could write that header");
  t.equal(clientAddress("::ffff:8.8.8.8", undefined, NONE), "8.8.8.8", "as node:http says it");
  t.equal(
    clientAddress("0000:0000:0000:0000:0000:ffff:0808:0808", undefined, NONE),
    "8.8.8.8",
    "as uws does",
  );
  for (const peer of ["127.0.0.1", "10.1.2.3", "192.168.0.1", "::1", "fd00::1", "fe80::1%eth0", "", "x"]) {
    t.equal(clientAddress(peer, "8.8.8.8", NONE), undefined, `${peer} may be a proxy`);
  }
});

t.test("client address - IPv6 by its /64", async (t) => {
  const group = "2a00:1450:4001:81::/64";
  t.equal(clientAddress("2a00:1450:4001:81::200e", undefined, NONE), group);
  t.equal(clientAddress("2a00:1450:4001:81:ffff::1", undefined, NONE), group);
  t.not(clientAddress("2a00:1450:4001:82::200e", undefined, NONE), group);
});

t.test("client address - from a trusted proxy: the last address that is no proxy", async (t) => {
  const cases: [string | undefined, string | undefined][] = [
    ["9.9.9.9", "9.9.9.9"],
    ["9.9.9.9:4711", "9.9.9.9"],
    ["[2a00:1450:4001:81::1]:4711", "2a00:1450:4001:81::/64"],
    ["1.1.1.1, 9.9.9.9", "9.9.9.9"],
    ["1.1.1.1,9.9.9.9, 10.0.0.7", "9.9.9.9"],
    ["192.168.1.5", "192.168.1.5"],
    ["10.0.0.7", undefined],
    ["9.9.9.9, unknown", undefined],
    ["", undefined],
    [undefined, undefined],
  ];
  for (const [header, client] of cases) {
    for (const peer of ["10.0.0.1", "::ffff:10.0.0.1", "2001:db8:ffff::1"]) {
      t.equal(clientAddress(peer, header, PROXIES), client, `${peer} ${header}`);
    }
  }
});

t.test("client address - if proxies are configured, every other peer is a client", async (t) => {
  t.equal(clientAddress("8.8.8.8", "9.9.9.9", PROXIES), "8.8.8.8");
  t.equal(clientAddress("192.168.0.1", "9.9.9.9", PROXIES), "192.168.0.1");
});
