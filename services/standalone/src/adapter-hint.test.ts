import { readFileSync } from "node:fs";
import t from "tap";
import { adapterHint } from "./adapter-hint.ts";

const RECORDS = new URL("../../../../bench/results/canonical.jsonl", import.meta.url);

interface BenchRecord {
  readonly commit: string;
  readonly versions: { readonly node: string };
  readonly throughput: ReadonlyArray<{
    readonly contender: string;
    readonly request_size: number;
    readonly generator?: string;
    readonly requests_per_second: number;
  }>;
}

t.test(
  "adapter hint - says how to get uWebSockets.js for this Node, and what the benchmark measured",
  async (t) => {
    const hint = adapterHint("auto", false) ?? "";
    t.match(
      hint,
      /^HTTP is served by node:http; npm install uNetworking\/uWebSockets\.js#v20\.\d+\.0 installs /,
    );
    t.match(hint, `for Node ${process.versions.node} `);
    const [, withIt, without] = /: ([\d,]+) single requests\/s instead of ([\d,]+),/.exec(hint) ?? [];
    const lines = readFileSync(RECORDS, "utf8").trimEnd().split("\n");
    const records = lines.map((line) => JSON.parse(line) as BenchRecord);
    const measured = (rate: string | undefined, major: string) =>
      records.filter(
        ({ versions, throughput }) =>
          versions.node.startsWith(major) &&
          throughput.some(
            ({ contender, request_size, generator, requests_per_second }) =>
              contender === "stampede" &&
              request_size === 1 &&
              generator === "wrk" &&
              Math.round(requests_per_second).toLocaleString("en") === rate,
          ),
      );
    const [uws] = measured(withIt, "v20.");
    const [node] = measured(without, "v24.");
    t.ok(uws, `${withIt} is in the records, on a Node with uWebSockets.js`);
    t.ok(node, `${without} is in the records, on one without`);
    // A plus says that there was more in the checkout than the commit has: the records themselves.
    const commitOf = (record: BenchRecord | undefined) => record?.commit.replace("+", "");
    t.equal(commitOf(uws), commitOf(node), "of the same code");
  },
);

t.test("adapter hint - nothing where it is there, or where node:http was asked for", async (t) => {
  t.equal(adapterHint("auto", true), undefined);
  t.equal(adapterHint("node", false), undefined);
  t.equal(adapterHint("uws", false), undefined);
});
