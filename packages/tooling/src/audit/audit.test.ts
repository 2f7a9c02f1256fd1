/** npm itself asks a registry of this test for advisories, so that the input is npm's real output. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import type { RequestListener } from "node:http";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import t, { type Test } from "tap";
import { freePort } from "#embedded";
import { serveHttp } from "#test-support";

const MAIN = fileURLToPath(new URL("main.js", import.meta.url));
const DIR = t.testdir();
let runs = 0;
const ADVISORY = {
  id: 1099562,
  url: "https://github.com/advisories/GHSA-aaaa-bbbb-cccc",
  title: "A hole of this test",
  severity: "high",
  vulnerable_versions: "*",
  cwe: ["CWE-400"],
  cvss: { score: 7.5, vectorString: "CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:N/I:N/A:H" },
};

async function registry(t: Test, answer: RequestListener): Promise<string> {
  const { url } = await serveHttp(t, (request, response) => {
    request.resume().on("end", () => answer(request, response));
  });
  return url;
}

const withAdvisories =
  (advisories: object): RequestListener =>
  ({ url = "" }, response) => {
    response.setHeader("content-type", "application/json");
    const name = decodeURIComponent(url.slice(1));
    // npm asks for the existing versions of an affected package.
    const versions = { "1.0.0": { name, version: "1.0.0" } };
    response.end(JSON.stringify(url.endsWith("/bulk") ? advisories : { name, versions, "dist-tags": {} }));
  };

async function audit(registryUrl: string, ...flags: string[]) {
  const child = spawn(process.execPath, [MAIN, ...flags], {
    // Its own cache: npm remembers answers.
    env: { ...process.env, npm_config_registry: registryUrl, npm_config_cache: join(DIR, `${++runs}`) },
    stdio: ["ignore", "pipe", "inherit"],
  });
  let output = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    output += text;
  });
  const [code] = (await once(child, "close")) as [number | null];
  return { code, lines: output.trimEnd().split("\n") };
}

t.test("audit - a registry without advisories is fine", async (t) => {
  const { code, lines } = await audit(await registry(t, withAdvisories({})));
  t.strictSame(lines, ["audit: nothing of level high or above"]);
  t.equal(code, 0);
});

t.test("audit - an advisory for a shipped package fails, unless it is accepted", async (t) => {
  const accepted = join(DIR, "accepted.json");
  const entry = { id: "GHSA-aaaa-bbbb-cccc", package: "undici", until: "9999-12-31", reason: "never called" };
  writeFileSync(accepted, JSON.stringify([entry]));
  const url = await registry(t, withAdvisories({ undici: [ADVISORY], pino: [ADVISORY] }));
  const { code, lines } = await audit(url, "--accepted", accepted);
  const said = `high: A hole of this test (${ADVISORY.url})`;
  t.strictSame(lines, [
    `audit: accepted until 9999-12-31 (never called): undici: ${said}`,
    `audit: FAIL pino: ${said}`,
    "audit: 1 to mend",
  ]);
  t.equal(code, 1);
});

t.test("audit - if an audit is required, a registry without one is named, and fails", async (t) => {
  const url = await registry(t, (_, response) => response.writeHead(405).end());
  const said = `the registry ${new URL(url).host} answers 405 to it`;
  t.strictSame(await audit(url, "--required"), { code: 1, lines: [`audit: failed, ${said}`] });
});

t.test("audit - a missing network is reported, and passes", async (t) => {
  const { code, lines } = await audit(`http://127.0.0.1:${await freePort()}`);
  t.match(lines, [/^audit: skipped, the registry was not reached \(.*ECONNREFUSED/]);
  t.equal(code, 0);
});
