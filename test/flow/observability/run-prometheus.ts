import { spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { request } from "undici";
import { stringify } from "yaml";
import { freePort } from "#embedded";
import { waitFor } from "#test-support";
import { PROMETHEUS_DIRECTORY, readYaml } from "./deployed.ts";

/** A group of `targets/stampede.yml`. */
export interface TargetGroup {
  readonly targets: readonly string[];
  readonly labels: Readonly<Record<string, string>>;
}

/** Points of one series, as [seconds since 1970, value]. */
export interface Series {
  readonly metric: Readonly<Record<string, string>>;
  readonly values: ReadonlyArray<readonly [number, string]>;
}

export interface Prometheus {
  /**
   * Reads a path of its HTTP API, such as `rules`. @returns `data` @throws Error with its words if it refuses
   */
  ask<T>(path: string, parameters?: Readonly<Record<string, string>>): Promise<T>;
  /** A query over all of its time, second by second. */
  range(query: string): Promise<Series[]>;
  stop(): Promise<void>;
}

interface Config {
  global: Record<string, string>;
  alerting?: unknown;
  scrape_configs: Array<{ job_name: string }>;
}

/**
 * Debian's Prometheus with the files of deploy/prometheus, at another pace (one second instead of 15), and
 * with these targets, as if an operator had written them to targets/stampede.yml.
 */
export async function startPrometheus(groups: readonly TargetGroup[]): Promise<Prometheus> {
  const directory = mkdtempSync(join(tmpdir(), "stampede-test-prometheus-"));
  cpSync(PROMETHEUS_DIRECTORY, directory, { recursive: true });
  const config = readYaml<Config>("prometheus.yml");
  config.global = { scrape_interval: "1s", scrape_timeout: "1s", evaluation_interval: "1s" };
  delete config.alerting;
  // The other jobs find targets that are not here: names of the compose network, and Prometheus on its usual
  // port.
  config.scrape_configs = config.scrape_configs.filter(({ job_name }) => job_name === "stampede");
  writeFileSync(join(directory, "prometheus.yml"), stringify(config));
  writeFileSync(join(directory, "targets/stampede.yml"), stringify(groups));
  const address = `127.0.0.1:${await freePort()}`;
  const child = spawn(
    "prometheus",
    [
      `--config.file=${join(directory, "prometheus.yml")}`,
      `--storage.tsdb.path=${join(directory, "data")}`,
      `--web.listen-address=${address}`,
      "--enable-feature=exemplar-storage",
      "--log.level=warn",
    ],
    { stdio: ["ignore", "ignore", "pipe"] },
  );
  let output = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    output += text;
  });
  const exited = once(child, "exit");
  const stop = async () => {
    if (child.exitCode === null) child.kill("SIGTERM");
    await exited;
    rmSync(directory, { recursive: true });
  };
  const startedAt = Math.floor(Date.now() / 1000);
  const ask = async <T>(path: string, parameters: Readonly<Record<string, string>> = {}): Promise<T> => {
    const { body } = await request(`http://${address}/api/v1/${path}?${new URLSearchParams(parameters)}`);
    const answer = (await body.json()) as { status: string; error?: string; data: T };
    if (answer.status !== "success") throw new Error(`${parameters.query ?? path}: ${answer.error}`);
    return answer.data;
  };
  const isReady = async () => {
    if (child.exitCode !== null) throw new Error(`Prometheus ended with ${child.exitCode}: ${output}`);
    const { statusCode, body } = await request(`http://${address}/-/ready`);
    await body.dump();
    return statusCode === 200;
  };
  try {
    await waitFor(isReady, { message: "Prometheus is not ready" });
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    ask,
    async range(query) {
      const span = { start: String(startedAt), end: String(Math.ceil(Date.now() / 1000)), step: "1" };
      return (await ask<{ result: Series[] }>("query_range", { query, ...span })).result;
    },
    stop,
  };
}
