import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import t from "tap";

const MAIN = fileURLToPath(new URL("main.js", import.meta.url));
/** Servers that do not run: the edge asks for the keys before it connects. */
const SERVERS = { DATABASE_URL: "postgres://u@127.0.0.1:1/d", NATS_URL: "nats://127.0.0.1:1" };

function startAndEnd(env: Record<string, string>) {
  const { status, stderr } = spawnSync(process.execPath, [MAIN], {
    env: { STAMPEDE_OPS_PORT: "0", STAMPEDE_HTTP_PORT: "0", ...SERVERS, ...env },
    encoding: "utf8",
    timeout: 60_000,
  });
  return { status, stderr };
}

t.test("edge - without encryption keys it ends with one line that says what to set", async (t) => {
  for (const env of [{}, { STAMPEDE_ENCRYPTION_KEYS: "" }]) {
    const { status, stderr } = startAndEnd(env as Record<string, string>);
    t.equal(status, 1);
    t.match(
      stderr,
      /^stampede edge: set STAMPEDE_ENCRYPTION_KEYS, such as "k1:\$\(openssl rand -base64 32\)".*\n$/,
    );
    t.equal(stderr.split("\n").length, 2, "one line");
  }
});

t.test("edge - with wrong keys it ends with one line that does not hold them", async (t) => {
  const { status, stderr } = startAndEnd({ STAMPEDE_ENCRYPTION_KEYS: "k1:c2hvcnQ=" });
  t.equal(status, 1);
  t.match(stderr, /^stampede edge: wrong environment: STAMPEDE_ENCRYPTION_KEYS .*32 bytes\n$/);
  t.notMatch(stderr, "c2hvcnQ=");
});
