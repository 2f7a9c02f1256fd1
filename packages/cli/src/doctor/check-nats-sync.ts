import { readServerReport, type ServerReport } from "#nats";
import { natsVersionWarning, type Settings } from "#runtime";
import { type Finding, fail, ok, warn } from "./finding.ts";

const CHECK = "nats durability";
const DO_THIS = "set `sync_interval: always` in the jetstream block of nats.conf";

/** Whether the servers sync what they acknowledge: a line for each monitoring port, since one that does not is enough. */
export async function* checkSync(
  urls: readonly string[],
  settings: Pick<Settings, "streamReplicas">,
): AsyncGenerator<Finding> {
  if (urls.length === 0) yield warn(CHECK, "unknown: set STAMPEDE_NATS_MONITOR_URL");
  for (const url of urls) {
    try {
      yield judge(url, await readServerReport(url), Number(settings.streamReplicas));
    } catch (error) {
      const reason = (error as { cause?: { code?: string } }).cause?.code ?? (error as Error).message;
      yield warn(
        CHECK,
        `unknown: ${url} does not answer (${reason}): start it, or correct STAMPEDE_NATS_MONITOR_URL`,
      );
    }
  }
}

function judge(url: string, { version, syncMode }: ServerReport, replicas: number): Finding {
  const warning = natsVersionWarning(version);
  if (warning !== undefined) return fail(CHECK, `${url}: ${warning}`);
  if (syncMode === "always") return ok(CHECK, `${url} syncs every write`);
  if (syncMode === "unknown") return warn(CHECK, `unknown: the server at ${url} has no JetStream`);
  const what = `the server at ${url} syncs now and then`;
  // Copies on other machines outlive the power of one; only all of them at once lose what was not synced.
  if (replicas > 1)
    return warn(CHECK, `${what}: if all lose power at once, acknowledged events go; ${DO_THIS}`);
  return fail(CHECK, `${what}: a power loss takes acknowledged events; ${DO_THIS}`);
}
