import { hasUws, uwsInstallCommand } from "#http";

/**
 * Requests a second with one event each, with uWebSockets.js (Node 20) and without (Node 24), of one commit in one hour on
 * two cores: the last two records in bench/results/canonical.jsonl, driven by wrk. In requests of 500 there is no difference.
 */
const SINGLE_REQUESTS = { uws: 6_868, node: 5_991 };

/**
 * The hint for a start with `auto` whose APIs are served by `node:http`, because there is no binary of
 * uWebSockets.js: how to install one, and what it gains. Undefined if there is one, or if the settings name
 * an adapter (the default is `node:http`).
 */
export function adapterHint(adapter: "auto" | "uws" | "node", isInstalled = hasUws()): string | undefined {
  if (adapter !== "auto" || isInstalled) return undefined;
  const [withIt, without] = [SINGLE_REQUESTS.uws, SINGLE_REQUESTS.node].map((rate) =>
    rate.toLocaleString("en"),
  );
  return (
    `HTTP is served by node:http; ${uwsInstallCommand()} installs uWebSockets.js for Node ${process.versions.node} ` +
    `(measured on two cores: ${withIt} single requests/s instead of ${without}, no difference in requests of 500)`
  );
}
