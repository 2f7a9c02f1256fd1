import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import t, { type Test } from "tap";
import { waitFor } from "#test-support";
import type { OpsAnswer } from "./ops.ts";
import { AWAY_EXIT_CODE, type ToParent } from "./service.ts";
import type { ToTestService } from "./test-service.ts";

const DEADLINE_MS = 60_000;

interface TestService {
  readonly child: ChildProcess;
  /** The output of the process, and the messages that it has sent. */
  output(): string;
  has(text: string): Promise<unknown>;
  send(message: ToTestService): void;
  /** How it ended: exit code and signal. */
  readonly ended: Promise<[number | null, NodeJS.Signals | null]>;
}

async function startTestService(
  t: Test,
  { env = {}, begins = '{"kind":"begun"}' }: { env?: NodeJS.ProcessEnv; begins?: string } = {},
): Promise<TestService> {
  const child = fork(new URL("./test-service.js", import.meta.url), {
    env: { PATH: process.env.PATH, ...env },
    stdio: ["ignore", "pipe", "pipe", "ipc"],
  });
  t.teardown(() => child.kill("SIGKILL"));
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding("utf8").on("data", (text: string) => {
      output += text;
    });
  }
  child.on("message", (message) => {
    output += `${JSON.stringify(message)}\n`;
  });
  const ended = once(child, "exit") as Promise<[number | null, NodeJS.Signals | null]>;
  const has = (text: string) =>
    waitFor(() => output.includes(text), { deadlineMs: DEADLINE_MS, message: `${text}; so far: ${output}` });
  await has(begins);
  return { child, output: () => output, has, send: (message) => child.send(message), ended };
}

function ask({ child }: TestService, path: string): Promise<OpsAnswer> {
  return new Promise((resolve) => {
    const hear = (message: ToParent) => {
      if (message.kind !== "ops-answer") return;
      child.off("message", hear);
      resolve(message);
    };
    child.on("message", hear);
    child.send({ kind: "ops", id: 1, path });
  });
}

for (const signal of ["SIGTERM", "SIGINT"] as const) {
  t.test(
    `service - ${signal} before it is up: everything that the start opened is closed, exit 0`,
    async (t) => {
      const service = await startTestService(t);
      service.child.kill(signal);
      await service.has('"draining"');
      t.notMatch(service.output(), "cleaned up", "the start is waited for");
      service.send({ kind: "go-on" });
      t.strictSame(await service.ended, [0, null]);
      t.match(service.output(), /cleaned up.*"stopped"/s);
      t.notMatch(service.output(), '"ready"', "it never says that it is up");
    },
  );
}

t.test(
  "service - told to stop, and then its start fails: exit 0, and the log says why it failed",
  async (t) => {
    const service = await startTestService(t);
    service.child.kill("SIGTERM");
    await service.has('"draining"');
    service.send({ kind: "fail" });
    t.strictSame(await service.ended, [0, null]);
    t.match(service.output(), /told to stop while it could not start/);
    t.match(service.output(), /it cannot start/);
  },
);

t.test("service - one that cannot start and was not told to stop exits 1 with a line", async (t) => {
  const service = await startTestService(t);
  service.send({ kind: "fail" });
  t.strictSame(await service.ended, [1, null]);
  t.match(service.output(), /^stampede test: Error: it cannot start/m);
});

const WITHOUT_SERVER = { env: { TEST_SERVER: "away" }, begins: '"kind":"waiting"' };

t.test("service - waits for its server, alive, not ready, and saying so, and then starts", async (t) => {
  const service = await startTestService(t, WITHOUT_SERVER);
  t.match(service.output(), '{"kind":"waiting","what":"the server","reason":"it is away"}');
  await service.has('"waitsFor":"the server","reason":"it is away","msg":"waiting for a server"');
  t.match(await ask(service, "/livez"), { status: 200 });
  const { status, body } = await ask(service, "/readyz?verbose");
  t.equal(status, 503);
  t.match(JSON.parse(body).checks.started, { ok: false, detail: "it waits for the server (it is away)" });
  service.send({ kind: "serve" });
  await service.has('{"kind":"begun"}');
  t.match(JSON.parse((await ask(service, "/readyz?verbose")).body).checks.started.detail, "it is starting");
  service.send({ kind: "go-on" });
  await service.has('{"kind":"ready"}');
  service.child.kill("SIGTERM");
  t.strictSame(await service.ended, [0, null]);
});

for (const signal of ["SIGTERM", "SIGINT"] as const) {
  t.test(`service - ${signal} while it waits for its server: exit 0`, async (t) => {
    const service = await startTestService(t, WITHOUT_SERVER);
    service.child.kill(signal);
    t.strictSame(await service.ended, [0, null]);
    t.notMatch(service.output(), '"begun"');
  });
}

t.test("service - a server that goes away in the middle of the start: one line, and exit 75", async (t) => {
  const service = await startTestService(t);
  service.send({ kind: "take-away" });
  t.strictSame(await service.ended, [AWAY_EXIT_CODE, null]);
  t.equal(AWAY_EXIT_CODE, 75, "as the runbooks say");
  t.match(service.output(), /^stampede test: it is away$/m);
});

t.test("service - its parent ends before it is up: cleaned up as well", async (t) => {
  const service = await startTestService(t);
  service.child.disconnect();
  t.strictSame(await service.ended, [0, null]);
  t.match(service.output(), /cleaned up/);
});

t.test("service - once up it ends as cleanly", async (t) => {
  const service = await startTestService(t);
  service.send({ kind: "go-on" });
  await service.has('{"kind":"ready"}');
  service.child.kill("SIGTERM");
  t.strictSame(await service.ended, [0, null]);
  t.match(service.output(), /cleaned up.*"stopped"/s);
});
