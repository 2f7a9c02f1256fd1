import t from "tap";
import { type Resolve, Targets } from "./targets.ts";

const v4 = (address: string) => ({ address, family: 4 });
const v6 = (address: string) => ({ address, family: 6 });
const failing: Resolve = () => Promise.reject(Object.assign(new Error("getaddrinfo"), { code: "ENOTFOUND" }));
/** After the time for which results are kept. */
const LATER = 11_000;

t.test("targets - a name stands for all its addresses, each a process", async (t) => {
  const resolve: Resolve = async (host) =>
    host === "edge" ? [v4("10.0.0.2"), v6("fd00::2"), v4("10.0.0.1")] : [v6("fd00::9")];
  const targets = new Targets(["http://edge:9464", "http://ingest:9464/"], resolve);
  t.strictSame(await targets.find(0), {
    urls: ["http://10.0.0.1:9464", "http://10.0.0.2:9464", "http://[fd00::9]:9464"],
    unresolved: [],
  });
});

t.test("targets - an address, and this machine, are asked as they are", async (t) => {
  const settings = ["http://127.0.0.1:9464", "http://[::1]:9464", "http://localhost:9465"];
  t.strictSame((await new Targets(settings, failing).find(0)).urls, settings);
});

t.test("targets - processes that come and go are seen within some seconds", async (t) => {
  let addresses = [v4("10.0.0.1")];
  let asked = 0;
  const targets = new Targets(["http://edge:9464"], async () => {
    asked++;
    return addresses;
  });
  await targets.find(0);
  addresses = [v4("10.0.0.2")];
  t.strictSame((await targets.find(1_000)).urls, ["http://10.0.0.1:9464"], "not at every sample");
  t.equal(asked, 1);
  t.strictSame((await targets.find(LATER)).urls, ["http://10.0.0.2:9464"]);
});

t.test("targets - a resolver that is away makes nothing disappear, and is reported", async (t) => {
  let resolve: Resolve = async () => [v4("10.0.0.1")];
  const targets = new Targets(["http://edge:9464"], (host) => resolve(host));
  await targets.find(0);
  resolve = failing;
  t.strictSame(await targets.find(LATER), {
    urls: ["http://10.0.0.1:9464"],
    unresolved: [{ url: "http://edge:9464", reason: "ENOTFOUND" }],
  });
  const never = await new Targets(["http://edge:9464"], failing).find(0);
  t.strictSame(never, { urls: [], unresolved: [{ url: "http://edge:9464", reason: "ENOTFOUND" }] });
});
