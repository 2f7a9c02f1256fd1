import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import t from "tap";
import { strayFiles } from "./stray-files.ts";

t.test("release - an ignored file in a packed folder is named", async (t) => {
  const root = t.testdir({
    ".gitignore": "*.key\ndist/\n",
    "package.json": JSON.stringify({
      files: ["dist/packages", "deploy", "docs/**/*.md", "!deploy/compose/secrets"],
    }),
    deploy: { "compose.yaml": "", "tls.key": "", compose: { secrets: { "a.key": "" } } },
    dist: { packages: { "a.js": "" } },
    elsewhere: { "b.key": "" },
  });
  execFileSync("git", ["init", "-q"], { cwd: root });
  t.strictSame(strayFiles(root), ["deploy/tls.key"]);
  writeFileSync(join(root, ".gitignore"), "dist/\n");
  t.strictSame(strayFiles(root), [], "`git status` shows the files that git does not ignore");
});
