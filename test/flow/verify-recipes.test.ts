import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import t, { type Test } from "tap";
import { signWebhook } from "#domain/webhooks";

/** The receivers of docs/webhooks/verify.md, word for word. */

const DOCUMENT = readFileSync(
  fileURLToPath(new URL("../../../docs/webhooks/verify.md", import.meta.url)),
  "utf8",
);
const { vectors } = JSON.parse(
  readFileSync(
    fileURLToPath(new URL("../../../test/vectors/webhook-signature.json", import.meta.url)),
    "utf8",
  ),
) as {
  vectors: [
    {
      secret: string;
      webhook_id: string;
      webhook_timestamp: string;
      body: string;
      webhook_signature: string;
    },
  ];
};
const [VECTOR] = vectors;
const SECRET = VECTOR.secret;
const OTHER_SECRET = `whsec_${Buffer.alloc(24, 7).toString("base64")}`;

t.setTimeout(400_000);

/** How to run a language's recipe; `missing` says why it cannot run here. */
interface Language {
  readonly file: string;
  readonly command: readonly string[];
  readonly missing: string | false;
}

const succeeds = (command: string, ...args: string[]) => spawnSync(command, args).status === 0;

const LANGUAGES: Readonly<Record<string, Language>> = {
  js: { file: "receiver.mjs", command: [process.execPath, "receiver.mjs"], missing: false },
  python: {
    file: "receiver.py",
    command: ["python3", "receiver.py"],
    missing: succeeds("python3", "-c", "import standardwebhooks")
      ? false
      : "not run here: no Python with standardwebhooks",
  },
  java: {
    file: "Receiver.java",
    command: ["java", "Receiver.java"],
    // Classes of the class path that CLASSPATH names.
    missing: succeeds("javap", "com.standardwebhooks.Webhook")
      ? false
      : "not run here: no Java with standardwebhooks in CLASSPATH",
  },
};

function recipe(language: string): string {
  const code = new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\`$`, "ms").exec(DOCUMENT)?.[1];
  if (code === undefined) throw new Error(`docs/webhooks/verify.md has no recipe in ${language}`);
  return code;
}

/** Starts a recipe on a free port, and gathers its lines in `printed`. */
async function start(t: Test, name: string, { file, command }: Language) {
  const folder = t.testdir({ [file]: recipe(name) });
  const [program = "", ...args] = command;
  const child: ChildProcess = spawn(program, args, {
    cwd: folder,
    env: { ...process.env, STAMPEDE_WEBHOOK_SECRET: SECRET, PORT: "0" },
    stdio: ["ignore", "pipe", "inherit"],
  });
  t.teardown(async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, "exit");
    child.kill();
    await ended;
  });
  const printed: string[] = [];
  const lines = createInterface({ input: child.stdout as NodeJS.ReadableStream });
  const port = await new Promise<string>((resolve, reject) => {
    child.once("exit", (code) => reject(new Error(`the recipe in ${join(folder, file)} ended with ${code}`)));
    lines.on("line", (line) => {
      const listening = /^listening on (\d+)$/.exec(line)?.[1];
      if (listening === undefined) printed.push(line);
      else resolve(listening);
    });
  });
  return { url: `http://127.0.0.1:${port}/`, printed };
}

const BODY = JSON.stringify({
  events: [
    { event_id: "evt_1", type: "webhook.test", timestamp: "2026-03-01T10:00:00.000Z" },
    {
      event_id: "evt_2",
      type: "cashback.created",
      timestamp: "2026-03-01T10:00:00.000Z",
      note: "ä, \u{1f6d2}",
    },
  ],
});
const now = () => Math.floor(Date.now() / 1000);

interface Sent {
  readonly body?: string;
  readonly at?: number;
  /** The secrets that sign, in the order of the header. */
  readonly secrets?: readonly string[];
  readonly signed?: string;
}

async function send(url: string, { body = BODY, at = now(), secrets = [SECRET], signed = body }: Sent) {
  const id = "dlv_01jt7a8pvcfnp9z85hr79f9z86";
  const timestamp = String(at);
  const signatures = secrets.map((secret) => signWebhook(secret, { id, timestamp, body: signed }));
  const answer = await fetch(url, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      "webhook-id": id,
      "webhook-timestamp": timestamp,
      "webhook-signature": signatures.join(" "),
    },
    body,
  });
  await answer.arrayBuffer();
  return answer.status;
}

for (const [name, language] of Object.entries(LANGUAGES)) {
  t.test(
    `recipe, ${name} - it takes what Stampede signs, and nothing else`,
    { skip: language.missing },
    async (t) => {
      const { url, printed } = await start(t, name, language);
      t.equal(await send(url, {}), 204, "signed");
      t.equal(await send(url, { secrets: [OTHER_SECRET, SECRET] }), 204, "signed by two secrets");
      t.equal(await send(url, { signed: BODY.replace("evt_1", "evt_3") }), 400, "another body was signed");
      t.equal(await send(url, { secrets: [OTHER_SECRET] }), 400, "another secret signed");
      t.equal(await send(url, { at: now() - 600 }), 400, "ten minutes old");
      t.equal(await send(url, { at: now() + 600 }), 400, "ten minutes ahead");
      t.equal((await fetch(url, { method: "POST", body: BODY })).status, 400, "not signed");
      t.match(printed.join("\n"), "evt_1");
      t.notMatch(printed.join("\n"), "evt_3");
    },
  );
}

t.test("recipe - the document and the vectors have the same example", async (t) => {
  const { secret, webhook_id, webhook_timestamp, body, webhook_signature } = VECTOR;
  for (const part of [secret, webhook_id, webhook_timestamp, body, webhook_signature])
    t.match(DOCUMENT, part);
  t.equal(signWebhook(secret, { id: webhook_id, timestamp: webhook_timestamp, body }), webhook_signature);
});
