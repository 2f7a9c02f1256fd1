/**
 * For HEALTHCHECK, which has no other HTTP client in the image: asks this container's own operations port and exits 0
 * when it answers 200.
 *
 *   node healthcheck.mjs [/livez | /readyz]
 */
import { get } from "node:http";

const ANSWER_MS = 4_000;
const path = process.argv[2] ?? "/livez";
const port = Number(process.env.STAMPEDE_OPS_PORT || 9464);

const request = get({ host: "127.0.0.1", port, path, agent: false, timeout: ANSWER_MS }, (response) => {
  response.resume();
  process.exitCode = response.statusCode === 200 ? 0 : 1;
});
request.on("timeout", () => request.destroy());
request.on("error", () => {
  process.exitCode = 1;
});
