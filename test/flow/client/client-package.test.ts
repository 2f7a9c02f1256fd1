import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import t from "tap";
import { StampedeClient } from "#client";
import { createWebhookSecret, signDelivery, transactionEvent, webhookEvent } from "#client/testing";
import { freePort } from "#embedded";
import { type Pipeline, startPipeline, waitFor } from "#test-support";
import { type ClientProject, installClient, run } from "./installed-client.ts";

/** The client as an integrator gets it: packed, installed in an empty folder, compiled against, run. */

t.setTimeout(400_000);

const README = new URL("../../../../packages/client/README.md", import.meta.url);
const EXAMPLES = new URL("../../../../examples/", import.meta.url);

let pipeline: Pipeline;
let project: ClientProject;
const examples = readExamples();

/**
 * A program that is compiled against the package, in addition to the examples; it runs against the service
 * that its environment names.
 */
const SMOKE = `
import { createServer, type RequestListener } from "node:http";
import {
  type Answer,
  type IngestResult,
  PlatformClient,
  type PlatformTypes,
  type RecordOf,
  StampedeClient,
  StampedeError,
  type WebhookEvent,
  webhookHandler,
} from "@stampede-loyalty/client";
import { createWebhookSecret, type Fault, transactionEvent } from "@stampede-loyalty/client/testing";

const client = new StampedeClient({ baseUrl: process.env.STAMPEDE_URL ?? "", token: process.env.STAMPEDE_TOKEN ?? "" });
const platform = new PlatformClient({ baseUrl: "http://127.0.0.1:9", token: "none", retryForMs: 0 });

export async function refs(memberbase: string): Promise<string[]> {
  const found: RecordOf<"member/list">[] = [];
  for await (const member of client.list("member/list", { member_base_id: memberbase })) found.push(member);
  return found.map(({ ref }) => ref);
}
export function word(result: IngestResult): string {
  switch (result.status) {
    case "processed":
      return \`\${result.created} created \${result.outcomes ?? ""}\`;
    case "accepted":
      return result.batch_id;
    case "rejected":
      return result.rejected.map(({ reason }) => reason).join();
  }
}
export const listener: RequestListener = webhookHandler({
  secret: createWebhookSecret(),
  onEvent: (event: WebhookEvent) => event.type === "qualifying_purchase.created" && event.unredeemed_purchases > 0,
});
export const post: (request: Request) => Promise<Response> = webhookHandler({ secret: createWebhookSecret(), onEvent() {} });
export const server = createServer(listener);
export const fault: Fault = { kind: "cut" };
export async function names(): Promise<string[]> {
  const retailers: PlatformTypes.Retailer[] = [];
  for await (const retailer of platform.list("retailer/list")) retailers.push(retailer);
  return retailers.map(({ name }) => name);
}
// @ts-expect-error no such route
void (() => client.call("member/forget", { id: "m_1" }));
// @ts-expect-error the answer has no such field
export const wrong: Answer<"member/get">["surname"] = "";
// @ts-expect-error a list whose request cannot be left out
void (() => client.list("member/list"));
// @ts-expect-error an event without its amount's type
void (() => client.ingest([transactionEvent({ amount: "12.50" })]));

const { id } = await client.createMemberbase("smoke");
const [member = ""] = await client.upsertMembers(id, [{ ref: "ada", attributes: { tier: 1 } }]);
const event = transactionEvent({ member_id: member });
console.log(word(await client.ingest([event])));
console.log(await refs(id));
console.log(word(await client.ingest([{ ...event, auth_code: "OTHER" }])));
try {
  await client.ingest([{ ...event, bin: "1" }]);
} catch (error) {
  if (error instanceof StampedeError) console.log(error.code, JSON.stringify(error.data.issues));
}
await names().catch((error: StampedeError) => console.log(error.code));
await client.close();
await platform.close();
`;

t.before(async () => {
  [pipeline, project] = await Promise.all([startPipeline(), installClient(t)]);
  project.write("smoke.ts", SMOKE);
  for (const [name, { code }] of examples) project.write(`${name}.ts`, code);
  for (const [name, code] of programsOfCheckout()) project.write(name, code);
  const { code, stdout } = await project.compile();
  if (code !== 0) throw new Error(`what is written against the package does not compile:\n${stdout}`);
});
t.teardown(() => pipeline?.stop());

const environment = () => ({ STAMPEDE_URL: pipeline.edge.url, STAMPEDE_TOKEN: pipeline.publisher.token });
const runProgram = (name: string, ...args: readonly string[]) =>
  run(process.execPath, [join(project.folder, `${name}.js`), ...args], project.folder, environment());

t.test(
  "client package - a strict program compiles against it, and runs against a running instance",
  async (t) => {
    t.strictSame((await runProgram("smoke")).stdout.split("\n"), [
      "1 created ",
      "[ 'ada' ]",
      "identity_mismatch",
      'bad_request [{"path":"/events/0/bin","message":"must match ^[0-9]{6,8}$"}]',
      "connection_error",
      "",
    ]);
  },
);

t.test("client package - holds no code of the server, and no types of the schema library", async (t) => {
  const read = (path: string) =>
    readFileSync(join(project.folder, "node_modules/@stampede-loyalty/client", path), "utf8");
  for (const path of project.packed) {
    t.match(path, /^(?:dist\/packages\/(?:client|contract|domain)\/|package\.json$|README\.md$|LICENSE$)/);
    t.notMatch(path, /\.test\.|\/test-|\.map$|\.tsbuildinfo$/);
    if (path.startsWith("dist/")) t.notMatch(read(path), /typebox|from "(?!node:|[.#]|undici")/, path);
  }
  for (const path of ["README.md", "LICENSE", "package.json"]) t.ok(project.packed.includes(path), path);
});

t.test("README - has the five examples", async (t) => {
  t.strictSame(
    [...examples.keys()],
    ["the-first-purchase", "a-file-line-by-line", "webhooks", "lists", "your-own-tests"],
  );
});

for (const name of ["the-first-purchase", "lists"]) {
  t.test(`README - ${name} prints the output shown`, async (t) => {
    const { code, stdout, stderr } = await runProgram(name);
    t.equal(stdout, examples.get(name)?.prints);
    t.equal(code, 0, stderr);
  });
}

t.test("README - a file, line by line: every event arrives, and the refused one is printed", async (t) => {
  const name = "a-file-line-by-line";
  const member_id = await makeMember();
  const purchases = Array.from({ length: 1200 }, (_, index) =>
    transactionEvent({ member_id, external_id: `purchase-${index}` }),
  );
  const settled = { ...purchases[7], cleared_at: "2026-03-02T04:00:00Z" };
  const reverted = { ...purchases[7], reverted_at: "2026-03-02T04:00:00Z" };
  const events = [...purchases.slice(0, 7), settled, ...purchases.slice(8), reverted];
  project.write("events.jsonl", events.map((event) => JSON.stringify(event)).join("\n"));
  const { code, stdout, stderr } = await runProgram(name, "events.jsonl");
  t.equal(stdout, examples.get(name)?.prints);
  t.equal(code, 0, stderr);
  t.strictSame(
    await pipeline.store`select count(*)::int from transactions where external_id like 'purchase-%'`,
    [{ count: 1200 }],
  );
});

t.test("README - webhooks: a delivery is taken once, and a forged one never", async (t) => {
  const secret = createWebhookSecret();
  const port = await freePort();
  const child = spawn(process.execPath, [join(project.folder, "webhooks.js")], {
    env: { ...process.env, WEBHOOK_SECRET: secret, PORT: String(port) },
    stdio: ["ignore", "pipe", "inherit"],
  });
  t.teardown(() => child.kill());
  let stdout = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    stdout += text;
  });
  await waitFor(() => stdout.includes("listening"), { message: "the example listens" });
  const coffee = webhookEvent("cashback.created", { amount: 500, transaction_ref: "coffee-1" });
  const send = async (signedWith: string) => {
    const delivery = signDelivery({ secret: signedWith, events: [coffee] });
    return (await fetch(`http://127.0.0.1:${port}`, { method: "POST", ...delivery })).status;
  };
  t.equal(await send(secret), 204);
  t.equal(await send(secret), 204, "it comes again");
  await waitFor(() => stdout === examples.get("webhooks")?.prints, {
    message: "it prints what the README says",
  });
  t.equal(await send(createWebhookSecret()), 400);
  await waitFor(() => stdout.includes("WebhookVerificationError"), {
    message: "the forged delivery is told",
  });
  child.kill();
  await once(child, "exit");
});

t.test("README - your own tests pass", async (t) => {
  const { code, stdout } = await run(process.execPath, ["--test", "your-own-tests.js"], project.folder, {
    // Otherwise it would report to the runner that started this test.
    NODE_TEST_CONTEXT: undefined,
  });
  t.equal(code, 0, stdout);
  t.match(stdout, /pass 2/);
});

interface Example {
  readonly code: string;
  /** The output of the program, in the block after it; undefined if there is none. */
  readonly prints: string | undefined;
}

/** The programs of the README by their headings. */
function readExamples(): ReadonlyMap<string, Example> {
  const sections = readFileSync(README, "utf8").split(/^## /m).slice(1);
  return new Map(
    sections.flatMap((section): [string, Example][] => {
      const code = /^```ts\n(.*?)^```$/ms.exec(section)?.[1];
      if (code === undefined) return [];
      const heading = section.slice(0, section.indexOf("\n"));
      const prints = /^```text\n(.*?)^```$/ms.exec(section)?.[1];
      return [[heading.toLowerCase().replaceAll(/[^a-z]+/g, "-"), { code, prints }]];
    }),
  );
}

/**
 * The programs in `examples/`, in a project that has only the package: they need nothing else of the
 * checkout.
 */
function programsOfCheckout(): ReadonlyArray<[name: string, code: string]> {
  const names = readdirSync(EXAMPLES).filter((name) => name.endsWith(".ts"));
  return names.map((name) => [
    name,
    readFileSync(new URL(name, EXAMPLES), "utf8")
      .replaceAll('"#client"', '"@stampede-loyalty/client"')
      .replace(/(from "\.\/[\w-]+)\.ts"/g, '$1.js"'),
  ]);
}

async function makeMember(): Promise<string> {
  const client = new StampedeClient({ baseUrl: pipeline.edge.url ?? "", token: pipeline.publisher.token });
  try {
    const { id } = await client.createMemberbase("file");
    const [member] = await client.upsertMembers(id, [{ ref: "ada" }]);
    return member as string;
  } finally {
    await client.close();
  }
}
