import { createHook } from "node:async_hooks";
import { createSocket } from "node:dgram";
import { writeFile } from "node:fs/promises";
import { isIPv4 } from "node:net";
import { join } from "node:path";
import t, { type Test } from "tap";
import { createResolver, type ResolverOptions } from "./resolve-host.ts";

const TYPE_A = 1;
const TYPE_AAAA = 28;
const NO_SUCH_NAME = 3;
const FAILED = 2;

/** How long a `slow` name's answer takes: less than the resolver of these tests waits. */
const SLOW_MS = 1_000;

/**
 * A name server on loopback, behind those of `before`. `silent` names get no answer, `slow` ones a late one; names that it does not know do not exist.
 */
async function startNameServer(
  t: Test,
  names: Readonly<Record<string, readonly string[] | "silent" | "refused" | "slow">>,
  files: Pick<ResolverOptions, "hostsFile" | "searchFile"> = {},
  before: readonly string[] = [],
) {
  const socket = createSocket("udp4");
  socket.on("message", (question, from) => {
    const { name, type, end } = readQuestion(question);
    const known = names[name];
    if (known === "silent") return;
    const all = known === "slow" ? ["8.8.8.8"] : known === "refused" ? [] : (known ?? []);
    const addresses = all.filter((address) => isIPv4(address) === (type === TYPE_A));
    const wanted = type === TYPE_A || type === TYPE_AAAA ? addresses : [];
    const head = Buffer.from(question.subarray(0, 12));
    head.writeUInt16BE(0x8180 | (known === undefined ? NO_SUCH_NAME : known === "refused" ? FAILED : 0), 2);
    head.writeUInt16BE(wanted.length, 6);
    head.writeUInt32BE(0, 8);
    const answer = Buffer.concat([head, question.subarray(12, end), ...wanted.map(record)]);
    const send = () => socket.send(answer, from.port, from.address);
    if (known === "slow") setTimeout(send, SLOW_MS);
    else send();
  });
  await new Promise<void>((resolve) => socket.bind(0, "127.0.0.1", resolve));
  t.teardown(() => socket.close());
  const servers = [...before, `127.0.0.1:${socket.address().port}`];
  return createResolver({ servers, queryMs: 1_500, ...files });
}

function readQuestion(message: Buffer) {
  const labels: string[] = [];
  let at = 12;
  for (let length = message[at] ?? 0; length > 0; length = message[at] ?? 0) {
    labels.push(message.toString("latin1", at + 1, at + 1 + length));
    at += 1 + length;
  }
  return { name: labels.join(".").toLowerCase(), type: message.readUInt16BE(at + 1), end: at + 5 };
}

/** An answer whose name points back to the question. */
function record(address: string): Buffer {
  const bytes = isIPv4(address)
    ? Buffer.from(address.split(".").map(Number))
    : Buffer.from(address.split(":").flatMap((part) => [parseInt(part, 16) >> 8, parseInt(part, 16) & 0xff]));
  const head = Buffer.from([
    0xc0,
    12,
    0,
    isIPv4(address) ? TYPE_A : TYPE_AAAA,
    0,
    1,
    0,
    0,
    0,
    60,
    0,
    bytes.length,
  ]);
  return Buffer.concat([head, bytes]);
}

t.test("resolve host - all addresses of a name, IPv4 first", async (t) => {
  const six = "2606:4700:0:0:0:0:0:1111";
  const resolve = await startNameServer(t, {
    "both.example": [six, "8.8.8.8", "8.8.4.4"],
    "four.example": ["8.8.8.8"],
    "six.example": [six],
  });
  t.strictSame(await resolve("both.example"), ["8.8.8.8", "8.8.4.4", "2606:4700::1111"]);
  t.strictSame(await resolve("four.example"), ["8.8.8.8"]);
  t.strictSame(await resolve("six.example"), ["2606:4700::1111"]);
});

t.test(
  "resolve host - names that are never answered end by themselves, and keep no other waiting",
  async (t) => {
    const resolve = await startNameServer(t, { "silent.example": "silent", "fine.example": ["8.8.8.8"] });
    let ended = 0;
    const silent = Array.from({ length: 50 }, () =>
      resolve("silent.example").then(
        () => t.fail("it has no address"),
        (error) => {
          ended += 1;
          t.equal(error.code, "ETIMEOUT");
        },
      ),
    );
    t.strictSame(await resolve("fine.example"), ["8.8.8.8"]);
    t.equal(ended, 0, "the others still wait");
    await Promise.all(silent);
  },
);

t.test(
  "resolve host - a name that takes long is found, also beside many that are answered at once",
  async (t) => {
    const resolve = await startNameServer(t, { "fast.example": ["8.8.4.4"], "slow.example": "slow" });
    for (let n = 0; n < 20; n++) await resolve("fast.example");
    t.strictSame(await resolve("slow.example"), ["8.8.8.8"]);
  },
);

t.test("resolve host - a name server that is silent is asked less once that is known", async (t) => {
  const silent = createSocket("udp4");
  let asked = 0;
  silent.on("message", () => {
    asked += 1;
  });
  await new Promise<void>((resolve) => silent.bind(0, "127.0.0.1", resolve));
  t.teardown(() => silent.close());
  const names = Object.fromEntries(Array.from({ length: 6 }, (_, n) => [`n${n}.example`, ["8.8.8.8"]]));
  const [first, ...others] = Object.keys(names) as [string, ...string[]];
  const resolve = await startNameServer(t, names, {}, [`127.0.0.1:${silent.address().port}`]);
  t.strictSame(await resolve(first), ["8.8.8.8"]);
  t.ok(asked > 0, "it comes first");
  asked = 0;
  for (const name of others) t.strictSame(await resolve(name), ["8.8.8.8"]);
  // Two questions for each name, if it were not known. Now and then it is tried again.
  t.ok(asked < others.length, `${asked} questions`);
});

t.test("resolve host - the file of hosts comes first, then search domains", async (t) => {
  const [hostsFile, searchFile] = [join(t.testdir(), "hosts"), join(t.testdir(), "resolv.conf")];
  await writeFile(
    hostsFile,
    "# nothing\n::1 both.test\n10.1.2.3\tboth.test Other.test # more\n300.1.1.1 bad.test\n",
  );
  await writeFile(searchFile, "domain old.example\nsearch first.example second.example.\noptions ndots:5\n");
  const names = { "hooks.second.example": ["8.8.8.8"], "both.test": ["8.8.4.4"] } as const;
  const resolve = await startNameServer(t, names, { hostsFile, searchFile });
  t.strictSame(await resolve("both.test"), ["10.1.2.3", "::1"]);
  t.strictSame(await resolve("OTHER.test."), ["10.1.2.3"]);
  t.strictSame(await resolve("hooks"), ["8.8.8.8"]);
  await t.rejects(resolve("hooks."), "it is whole");
  await t.rejects(resolve("bad.test"));
});

t.test(
  "resolve host - a name that its servers refuse or do not know holds no thread of the process",
  async (t) => {
    const resolve = await startNameServer(t, { "refused.example": "refused" });
    let asked = 0;
    // What `lookup` makes, and holds one of four threads by.
    const hook = createHook({
      init: (_id, type) => {
        if (type === "GETADDRINFOREQWRAP") asked += 1;
      },
    }).enable();
    t.teardown(() => hook.disable());
    await t.rejects(resolve("refused.example"));
    await t.rejects(resolve("missing.invalid"));
    t.equal(asked, 0);
  },
);
