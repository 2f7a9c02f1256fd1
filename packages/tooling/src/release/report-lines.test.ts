import { readFileSync } from "node:fs";
import { join } from "node:path";
import t from "tap";
import { ROOT } from "../root.ts";
import { describeImage, type Release, reportLines } from "./report-lines.ts";

const RELEASE: Release = {
  version: "1.2.3",
  problems: [],
  files: [
    {
      file: "npm/a-1.2.3.tgz",
      what: "the client",
      goesTo: "npm",
      command: "npm publish npm/a-1.2.3.tgz",
      bytes: 1025,
      sha256: "00",
      contents: ["package/LICENSE", "package/package.json"],
    },
    {
      file: "SHA256SUMS",
      what: "for `sha256sum -c`",
      goesTo: "the release's page",
      command: "gh release upload v1.2.3 SHA256SUMS",
      bytes: 10,
      sha256: "01",
      contents: [],
    },
  ],
  image: describeImage("1.2.3", readFileSync(join(ROOT, "deploy/image/Dockerfile"), "utf8")),
};

t.test(
  "release report - names each file with its target, the image with its sources, and the tag",
  async (t) => {
    const [made = "", image = ""] = reportLines(RELEASE, undefined, false).join("\n").split("\nimage ");
    t.equal(
      made,
      "Stampede 1.2.3, a dry run: nothing is kept. Nothing is uploaded.\n\n" +
        "npm/a-1.2.3.tgz  (the client; 2 KiB, 2 files)\n" +
        "    to npm:  npm publish npm/a-1.2.3.tgz\n" +
        "SHA256SUMS  (for `sha256sum -c`; 1 KiB)\n" +
        "    to the release's page:  gh release upload v1.2.3 SHA256SUMS",
    );
    t.match(image, /^stampede:1\.2\.3 {2}\(made of .*, package\.json, packages, .*, services, [^)]*\)\n/);
    t.match(
      image,
      /\n {4}to a registry of containers: {2}docker build -f deploy\/image\/Dockerfile -t stampede:1/,
    );
    t.match(image, "git tag -s v1.2.3 && ");
    t.ok(image.endsWith("v1.2.3"), "nothing is missing");
  },
);

t.test("release report - the folder, the contents of archives, and missing parts", async (t) => {
  const lines = reportLines({ ...RELEASE, problems: ["one", "two"] }, "/release", true);
  t.equal(lines[0], "Stampede 1.2.3 in /release. Nothing is uploaded.");
  t.strictSame(lines.slice(4, 6), ["      package/LICENSE", "      package/package.json"]);
  t.strictSame(lines.slice(-4), ["", "Before the release:", "  one", "  two"]);
});
