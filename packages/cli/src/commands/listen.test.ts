import { randomUUID } from "node:crypto";
import t, { type Test } from "tap";
import { StampedeClient, verifyWebhook } from "#client";
import { encodeId } from "#domain";
import {
  answer,
  makeEvent,
  type Pipeline,
  startPipeline,
  startWebhookReceiver,
  TcpProxy,
  waitFor,
} from "#test-support";
import { Terminal } from "../terminal.ts";
import { runCommand } from "../test-command.ts";
import { keptTerminal } from "../test-terminal.ts";
import { type ListenRequest, listen, readPatterns } from "./listen.ts";

const FILE = "/state/stampede/webhook-secret";
const SECRET = `whsec_${Buffer.alloc(32, 7).toString("base64")}`;

let pipeline: Pipeline;
t.before(async () => {
  pipeline = await startPipeline();
  // The service moves the horizon, up to which events can be read.
  await pipeline.start("webhooks");
});
t.teardown(() => pipeline.stop());

/** Makes an event of type transaction.rejected: its request is answered 202, and its member does not exist. */
async function reject(): Promise<string> {
  const client = new StampedeClient({ baseUrl: pipeline.edge.url ?? "", token: pipeline.publisher.token });
  const event = makeEvent(encodeId("m", randomUUID()));
  await client.ingest([event], { respondAsync: true });
  await client.close();
  return event.external_id;
}

/** The running command, with its output captured. */
async function start(t: Test, request: Partial<ListenRequest> = {}) {
  const { said, terminal } = keptTerminal();
  const controller = new AbortController();
  const access = { baseUrl: pipeline.edge.url ?? "", token: pipeline.publisher.token };
  const running = listen(
    { access, types: undefined, since: undefined, json: false, forward: undefined, ...request },
    terminal,
    controller.signal,
  );
  const stop = () => {
    controller.abort();
    return running;
  };
  t.teardown(() => stop().catch(() => {}));
  await waitFor(() => said.err.includes("end it with Ctrl-C"), { message: "it listens" });
  const refs = () => said.out.split("\n").flatMap((line) => line.split("\t")[2] ?? []);
  return { said, stop, running, refs };
}

t.test("listen - prints new events, in order, and with --since earlier ones too", async (t) => {
  const before = await reject();
  const earlier = await start(t, { since: new Date(Date.now() - 3_600_000) });
  await waitFor(() => earlier.refs().includes(before), { message: "the earlier event is printed" });
  const { said, refs, stop } = await start(t);
  const made = [await reject(), await reject(), await reject()];
  await waitFor(() => refs().length === 3, { message: "all are printed" });
  t.strictSame(refs(), made);
  t.match(said.out, /^\S+Z\ttransaction\.rejected\ttest-\S+\t\{"event_id":"evt_\w+".*"reason":"not_found"/);
  await stop();
});

t.test("listen - prints only the requested types, one JSON object a line", async (t) => {
  const { said } = await start(t, { types: readPatterns("*.rejected,cashback.created"), json: true });
  const ref = await reject();
  await waitFor(() => said.out !== "", { message: "it is printed" });
  t.match(JSON.parse(said.out), { type: "transaction.rejected", transaction_ref: ref });
  // `start` has waited for its first page, in which the event is, unless the types narrow it.
  const since = new Date(Date.now() - 3_600_000);
  const others = await start(t, { types: readPatterns("cashback.*"), since, json: true });
  t.equal(others.said.out, "");
});

t.test("listen - patterns name types, and one that names none is refused", async (t) => {
  t.strictSame(readPatterns("*"), ["*"]);
  t.strictSame(readPatterns("cashback.*, transaction.rejected"), ["cashback.*", "transaction.rejected"]);
  t.strictSame(readPatterns("*.created, transaction.*"), [
    "cashback.created",
    "qualifying_purchase.created",
    "transaction.rejected",
  ]);
  for (const pattern of ["", "cashback", "cashback.create", "c.shback.*", "(", "[a-z]*"]) {
    t.throws(() => readPatterns(pattern), { message: /there are cashback\.created/ }, pattern);
  }
});

t.test(
  "listen - forwards signed deliveries; a refused event comes again before the events behind it",
  async (t) => {
    let refusals = 3;
    const receiver = await startWebhookReceiver({
      script: () => (refusals-- > 0 ? answer(500, { body: "not yet" }) : answer(204)),
    });
    t.teardown(() => receiver.close());
    const forward = { url: receiver.url, secret: { secret: SECRET, file: FILE } };
    const { said, refs } = await start(t, { forward });
    t.ok(said.err.includes(`${FILE}: ${SECRET}`), "the secret is printed");
    const made: string[] = [];
    for (let i = 0; i < 5; i++) made.push(await reject());
    await waitFor(() => refs().length === 5, { message: "all are taken" });
    t.strictSame(refs(), made);
    t.match(said.out, /\t204 in \d+ ms\n/);
    t.equal(said.err.match(/500 in \d+ ms, attempt [123] of dlv_\w+ .*again in \d+ ms: not yet/g)?.length, 3);
    const taken = receiver.requests
      .slice(3)
      .flatMap(({ headers, body }) => verifyWebhook(SECRET, headers, body))
      .map((event) => ("transaction_ref" in event ? event.transaction_ref : ""));
    t.strictSame(taken, made);
  },
);

t.test("listen - goes on where it was after the instance was away", async (t) => {
  const going = await pipeline.start("edge");
  // The address must stay the same: another process could take a free port meanwhile.
  const proxy = await TcpProxy.start(going.url ?? "");
  t.teardown(() => proxy.close());
  const access = { baseUrl: `http://127.0.0.1:${proxy.port}`, token: pipeline.publisher.token };
  const { said, refs } = await start(t, { access });
  const first = await reject();
  await waitFor(() => refs().length === 1, { message: "the first is printed" });
  proxy.refuse();
  await going.kill();
  await waitFor(() => said.err.includes("goes on from the same event"), {
    message: "it says so",
  });
  const second = await reject();
  proxy.leadTo((await pipeline.start("edge")).url ?? "");
  proxy.thaw();
  await waitFor(() => refs().length === 2, { message: "the second is printed" });
  t.strictSame(refs(), [first, second]);
  t.match(said.err, /it answers again\n/);
});

t.test("listen - a wrong token, and options that exclude each other, are reported", async (t) => {
  const access = { baseUrl: pipeline.edge.url ?? "", token: "wrong" };
  const silent = new Terminal({ write: () => {} }, { write: () => {} });
  const request = { access, types: undefined, since: undefined, json: false, forward: undefined };
  await t.rejects(listen(request, silent, new AbortController().signal), { code: "authentication_error" });
  const dataDir = t.testdir();
  const env = { STAMPEDE_DATA_DIR: dataDir };
  await t.rejects(runCommand(["listen"], env), { message: /nothing runs on/ });
  await t.rejects(runCommand(["listen", "--port", "0", "--since", "1h"], env), {
    message: /go without them/,
  });
  await t.rejects(runCommand(["listen", "--port", "0"], env), { message: /nothing runs on/ });
});
