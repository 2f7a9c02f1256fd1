import t from "tap";
import { docCommandProblems } from "./doc-commands.ts";

const tests = (path: string) => (path === "test/a.test.ts" ? 'read("docs/a.md")' : undefined);
const problems = (mark: string, document = "docs/a.md") =>
  docCommandProblems(document, `# A\n\n${mark}\n\`\`\`sh\nnpm start\n\`\`\`\n`, tests);

t.test(
  "doc commands - a block that a test of this document runs, or that says what it needs, is fine",
  async (t) => {
    t.strictSame(problems("<!-- run by test/a.test.ts -->"), []);
    t.strictSame(problems("<!-- not run here: needs a cluster -->"), []);
    t.strictSame(docCommandProblems("docs/a.md", "```json\n{}\n```\n`npm start`", tests), []);
  },
);

t.test(
  "doc commands - a block without a mark is found, and one whose test is not there or another's",
  async (t) => {
    t.match(problems(""), [/^docs\/a\.md:4: put `<!-- run by/]);
    t.match(problems("<!-- not run here -->"), [/put/]);
    t.match(problems("<!-- run by test/b.test.ts -->"), [/no such test/]);
    t.match(problems("<!-- run by test/a.test.ts -->", "docs/b.md"), [/does not name b\.md/]);
  },
);
