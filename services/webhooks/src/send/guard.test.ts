import t, { type Test } from "tap";
import { targetPolicy } from "#domain";
import { answer, startWebhookReceiver } from "#test-support";
import { createSender } from "./sender.ts";
import { LOOPBACK, requestTo, testSender } from "./test-sender.ts";

/*
 * The list of section 10 of the contract, checked at the sender, whatever `webhook/create` let pass. Plain http is allowed, so
 * that only the check of the address keeps a request from a receiver on loopback. The receiver also counts connections
 * without a request.
 */

const PUBLIC_ONLY = targetPolicy("on", []);

/** What stands between `http://` and the port of the receiver. */
const HOSTS = [
  // this machine: dotted, short, decimal, hexadecimal, octal, mixed, full-width, encoded, with a dot at the end
  "127.0.0.1",
  "127.1",
  "127.0.1",
  "127.255.255.254",
  "2130706433",
  "0x7f000001",
  "0x7F.0.0.1",
  "0x7f.1",
  "017700000001",
  "0177.0.0.1",
  "0177.0x0.0.01",
  "127.0.0.1.",
  "%31%32%37.0.0.1",
  "１２７.０.０.１",
  "127。0。0。1",
  "0.0.0.0",
  "0",
  "0x0",
  "00000000000",
  "localhost",
  "LocalHost.",
  "hooks.localhost",
  "ⓛocalhost",
  "[::1]",
  "[0:0:0:0:0:0:0:1]",
  "[::]",
  // private networks
  "10.0.0.1",
  "10.1",
  "012.1",
  "167772161",
  "172.16.0.1",
  "172.31.255.255",
  "192.168.0.1",
  "192.168.257",
  "0xc0a80001",
  "100.64.0.1",
  // metadata services of clouds
  "169.254.169.254",
  "2852039166",
  "0xa9fea9fe",
  "0251.0376.0251.0376",
  "169.254.43518",
  "[fd00:ec2::254]",
  "metadata.google.internal",
  // neither public nor a host
  "192.0.2.1",
  "198.18.0.1",
  "198.51.100.7",
  "203.0.113.7",
  "224.0.0.1",
  "240.0.0.1",
  "255.255.255.255",
  "4294967295",
  // IPv4 in IPv6: mapped, compatible, translated, NAT64, 6to4, Teredo
  "[::ffff:127.0.0.1]",
  "[::ffff:7f00:1]",
  "[0:0:0:0:0:ffff:7f00:0001]",
  "[::ffff:169.254.169.254]",
  "[::127.0.0.1]",
  "[::ffff:0:127.0.0.1]",
  "[64:ff9b::127.0.0.1]",
  "[64:ff9b::7f00:1]",
  "[64:ff9b:1::7f00:1]",
  "[2002:7f00:1::]",
  "[2002:a9fe:a9fe::1]",
  "[2001:0:7f00:1::1]",
  // IPv6 that is not public
  "[fc00::1]",
  "[fd12:3456:789a::1]",
  "[fe80::1]",
  "[fec0::1]",
  "[ff02::1]",
  "[2001:db8::1]",
  "[100::1]",
  "printer.local",
];

/** Whole URLs; PORT is the receiver's. */
const URLS = [
  "http://user@127.0.0.1:PORT/",
  "http://user:password@localhost:PORT/",
  "http://example.com@127.0.0.1:PORT/",
  "http://:@127.0.0.1:PORT/",
  "http://127.0.0.1:PORT\\@example.com/",
  "http://example.com#@127.0.0.1:PORT/",
  "http:127.0.0.1:PORT/",
  "http:/127.0.0.1:PORT/",
  "http:\\\\127.0.0.1:PORT\\",
  "//127.0.0.1:PORT/",
  "ftp://127.0.0.1:PORT/",
  "file:///etc/passwd",
  "gopher://127.0.0.1:PORT/_",
  "http://127.0.0.1:0PORT/",
  "http://127.0.0.1:0/",
  "http://127.0.0.1:22/",
  "http://127.0.0.1:-1/",
  "http://127.0.0.1:65536/",
  "https://example.com:25/",
  "https://example.com:6667/",
  "https://8.8.8.8:0/",
];

/** What names resolve to. */
const NAMES: Readonly<Record<string, readonly string[]>> = {
  "loopback.example": ["127.0.0.1"],
  "loopback6.example": ["::1"],
  "private.example": ["10.0.0.5"],
  "metadata.example": ["169.254.169.254"],
  "mapped.example": ["::ffff:127.0.0.1"],
  "sixtofour.example": ["2002:7f00:1::1"],
  "nat64.example": ["64:ff9b::7f00:1"],
  "unspecified.example": ["0.0.0.0"],
  "mixed.example": ["8.8.8.8", "127.0.0.1"],
  "mixed6.example": ["2606:4700::1111", "8.8.8.8", "::1"],
  "last.example": [...Array.from({ length: 20 }, (_, i) => `8.8.8.${i}`), "192.168.1.1"],
  "zone.example": ["fe80::1%lo"],
  "nonsense.example": ["127.1"],
};

async function start(t: Test, policy = PUBLIC_ONLY) {
  const receiver = await startWebhookReceiver();
  const sender = testSender({ policy, names: NAMES });
  t.teardown(async () => {
    sender.close();
    await receiver.close();
  });
  return { receiver, sender };
}

t.test("guard - every spelling of a private address is blocked, and nothing is sent", async (t) => {
  const { receiver, sender } = await start(t);
  const urls = [
    ...HOSTS.map((host) => `http://${host}:${receiver.port}/hooks`),
    ...URLS.map((url) => url.replace("PORT", String(receiver.port))),
    ...Object.keys(NAMES).flatMap((name) =>
      ["http", "https"].map((scheme) => `${scheme}://${name}:${receiver.port}/`),
    ),
  ];
  t.ok(new Set(urls).size >= 60);
  for (const url of urls) {
    t.match(
      await sender.send(requestTo(url)),
      { status: null, errorClass: "blocked_address", answer: null },
      url,
    );
  }
  t.equal(receiver.connections, 0);
});

t.test("guard - the same receiver gets an allowed request: the list above tests something", async (t) => {
  const { receiver, sender } = await start(t, LOOPBACK);
  for (const host of [
    "127.0.0.1",
    "127.1",
    "2130706433",
    "0x7f.1",
    "localhost",
    "[::ffff:127.0.0.1]",
    "loopback.example",
  ]) {
    t.match(await sender.send(requestTo(`http://${host}:${receiver.port}/`)), { status: 200 }, host);
  }
});

t.test("guard - plain http goes where it is allowed only", async (t) => {
  const { receiver, sender } = await start(t, targetPolicy("loopback", ["127.0.0.0/8", "::1/128"]));
  t.match(await sender.send(requestTo(`http://localhost:${receiver.port}/`)), { status: 200 });
  const connections = receiver.connections;
  const named = requestTo(`http://loopback.example:${receiver.port}/`);
  t.match(
    await sender.send(named),
    { errorClass: "blocked_address" },
    "a name that only happens to be this machine",
  );
  t.equal(receiver.connections, connections);
});

t.test(
  "guard - a name is resolved once for a connection, which goes to an address that was checked",
  async (t) => {
    const receiver = await startWebhookReceiver({
      script: () => answer(200, { headers: { connection: "close" } }),
    });
    const answers = [["127.0.0.1"], ["169.254.169.254"], ["127.0.0.1", "10.0.0.1"], ["127.0.0.1"]];
    let asked = 0;
    const resolve = async () => answers[asked++] ?? [];
    const sender = createSender({ policy: LOOPBACK, now: () => new Date(), resolve });
    t.teardown(async () => {
      sender.close();
      await receiver.close();
    });
    const send = () => sender.send(requestTo(`http://changing.example:${receiver.port}/`));
    t.match(await send(), { status: 200 });
    t.equal(asked, 1);
    t.match(await send(), { errorClass: "blocked_address" }, "it changed to a metadata service");
    t.match(await send(), { errorClass: "blocked_address" }, "one of two is enough");
    t.match(await send(), { status: 200 });
    t.equal(asked, 4);
    t.equal(receiver.connections, 2);
  },
);

t.test("guard - what a resolver says of localhost does not count", async (t) => {
  const receiver = await startWebhookReceiver();
  const resolve = async () => ["8.8.8.8"];
  const sender = createSender({ policy: LOOPBACK, now: () => new Date(), resolve });
  t.teardown(async () => {
    sender.close();
    await receiver.close();
  });
  t.match(await sender.send(requestTo(`http://a.localhost:${receiver.port}/`)), { status: 200 });
});

t.test("guard - a redirect is a failure and is never followed", async (t) => {
  const { receiver: elsewhere } = await start(t);
  const { receiver, sender } = await start(t, LOOPBACK);
  for (const location of [
    "http://169.254.169.254/latest/meta-data/",
    "http://metadata.google.internal/computeMetadata/v1/",
    `${elsewhere.url}/`,
    `//127.0.0.1:${elsewhere.port}/`,
    "/again",
  ]) {
    for (const status of [301, 302, 303, 307, 308]) {
      receiver.follow(() => answer(status, { headers: { location } }));
      t.match(
        await sender.send(requestTo(receiver.url)),
        { status, errorClass: "redirect" },
        `${status} ${location}`,
      );
    }
  }
  t.equal(receiver.requests.length, 25);
  t.equal(elsewhere.connections, 0);
});

t.test("guard - no proxy of the environment is used", async (t) => {
  const { receiver: proxy } = await start(t);
  const { receiver, sender } = await start(t, LOOPBACK);
  const before = process.env.http_proxy;
  process.env.http_proxy = proxy.url;
  t.teardown(() => {
    if (before === undefined) delete process.env.http_proxy;
    else process.env.http_proxy = before;
  });
  t.match(await sender.send(requestTo(receiver.url)), { status: 200 });
  t.equal(proxy.connections, 0);
});
