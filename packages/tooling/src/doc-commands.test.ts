import t from "tap";
import { commandsOf, docCommandProblems } from "./doc-commands.ts";

/** The files of a checkout by their paths. */
const FILES: Readonly<Record<string, string>> = {
  "test/runs.test.ts": '// for docs/a.md\nspawn("npm", ["start"]);',
  "test/takes.test.ts": 'const [, commands] = /^```sh\\n(.*?)^```$/ms.exec(read("docs/a.md"));',
  "test/asks-helper.test.ts": 'import { start } from "./helper.ts";\nstart("docs/a.md");',
  "test/helper.ts": 'export const start = () => spawn("npm", ["start"]);',
  "test/asks-service.test.ts": 'import { start } from "../services/start.ts";\nstart("docs/a.md");',
  "services/start.ts": 'export const start = () => spawn("npm", ["start"]);',
  "docs/operations/commands.md":
    "## All commands\n\n| command | what |\n|---|---|\n| `doctor`, `token list` | looks at `all` |\n\n## Services\n",
  "package.json": '{"scripts":{"start":"","demo":""}}',
  "test/says.test.ts": '// docs/a.md: what npm start runs\n/* npm start */\nspawn("node", ["main.js"]);',
};
const read = (path: string) => FILES[path];
const problems = (mark: string, document = "docs/a.md", block = "```sh\nnpm start\n```") =>
  docCommandProblems(document, `# A\n\n${mark}\n${block}\n`, read);

t.test("doc commands - a block that a test runs, or that names its requirement, is fine", async (t) => {
  t.strictSame(problems("<!-- run by test/runs.test.ts -->"), []);
  t.strictSame(problems("<!-- run by test/takes.test.ts -->"), [], "it takes the blocks as they stand");
  t.strictSame(problems("<!-- run by test/asks-helper.test.ts -->"), [], "its helper runs it");
  t.strictSame(problems("<!-- not run here: needs a cluster -->"), []);
  t.strictSame(problems("<!-- not run here: needs a cluster; test/runs.test.ts reads it -->"), []);
});

t.test("doc commands - a block without a mark is found, and one whose mark is false", async (t) => {
  t.match(problems(""), [/^docs\/a\.md:4: put `<!-- run by/]);
  t.match(problems("<!-- not run here -->"), [/put/]);
  t.match(problems("<!-- not run here: needs a cluster; test/gone.test.ts reads it -->"), [/no such file/]);
  t.match(problems("<!-- run by test/b.test.ts -->"), [/no such test/]);
  t.match(problems("<!-- run by test/runs.test.ts -->", "docs/b.md"), [/does not name b\.md/]);
});

t.test("doc commands - a test that does not contain the command does not run it", async (t) => {
  const other = "```sh\nnpm run demo\n```";
  t.match(problems("<!-- run by test/runs.test.ts -->", "docs/a.md", other), [/there is no `npm run demo`/]);
  t.match(problems("<!-- run by test/says.test.ts -->"), [/no `npm start`/], "a comment is no run");
  t.match(
    problems("<!-- run by test/asks-service.test.ts -->"),
    [/no `npm start`/],
    "nor is a name in the tested service",
  );
});

t.test(
  "doc commands - every shell block is found, also indented and unnamed ones with commands",
  async (t) => {
    for (const language of ["sh", "bash", "shell", "zsh", "console"]) {
      t.match(problems("", "docs/a.md", `\`\`\`${language}\n./run\n\`\`\``), [/:4: put/], language);
    }
    t.match(problems("", "docs/a.md", "~~~sh\n./run\n~~~"), [/:4: put/]);
    t.match(problems("", "docs/a.md", "- a list:\n\n   ```sh\n   ./run\n   ```"), [/:6: put/]);
    t.match(problems("", "docs/a.md", "\n    npm start\n    npm run demo"), [/:5: put/]);
    t.match(problems("", "docs/a.md", "```\nstampede doctor   # looks\n```"), [/:4: put/], "no language");
    t.match(problems("", "docs/a.md", "```\n$ ls\na\n```"), [/:4: put/]);
    t.strictSame(problems("<!-- run by test/runs.test.ts -->", "docs/a.md", "\n    npm start\n"), []);
  },
);

t.test(
  "doc commands - what `stampede` or `npm run` does not know is found, wherever it stands",
  async (t) => {
    const inline = (text: string) => docCommandProblems("docs/a.md", text, read);
    t.strictSame(
      inline("run `stampede doctor`, `npx stampede token list --all`, `npm run demo -- --seconds 6`"),
      [],
    );
    t.strictSame(inline("`stampede <command>`, `stampede`, `stampede …`, `stampede_ready`, `npm run …`"), []);
    t.strictSame(inline("\n`stampede docter` and `npm run dmeo`"), [
      "docs/a.md:2: there is no command `stampede docter`",
      "docs/a.md:2: there is no command `npm run dmeo`",
    ]);
    t.strictSame(problems("<!-- not run here: needs nothing -->", "docs/a.md", "```sh\nstampede look\n```"), [
      "docs/a.md:4: there is no command `stampede look`",
    ]);
  },
);

t.test("doc commands - other text is left alone", async (t) => {
  for (const block of [
    "```json\n{}\n```\n`npm start`",
    "```text\nnpm start\n```",
    "```\nPOST /publisher.v1/event/list {}\n```",
    "\n    POST /publisher.v1/member/bulk-delete {}",
    "```ts\n\n    npm start\n```",
    "- an item\n    npm is a word of it",
  ]) {
    t.strictSame(problems("", "docs/a.md", block), [], block);
  }
});

t.test("doc commands - a command is its program and its task", async (t) => {
  const words = (text: string) => commandsOf({ lines: text.split("\n") });
  t.strictSame(words("npx stampede simulate purchase --via webhook  # one"), [
    ["stampede", "simulate", "purchase"],
  ]);
  t.strictSame(words("printf 'a' | sha256sum"), [["printf"], ["sha256sum"]]);
  t.strictSame(words("npm pack ./packages/client\n\n# then\nnpm run bench -- scaling"), [
    ["npm", "pack"],
    ["npm", "run", "bench"],
  ]);
  t.strictSame(words("$ stampede status\nready"), [["stampede", "status"]], "not its output");
  t.strictSame(words("helm install \\\n  stampede deploy/helm"), [["helm", "install", "stampede"]]);
});
