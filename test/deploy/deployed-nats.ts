import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { Test } from "tap";
import { findNats, freePort } from "#embedded";
import { selfSignedCertificate } from "#test-support";
import { readDeployed } from "./deploy-folder.ts";

export const USERS = ["edge", "ingest", "platform", "rewards", "webhooks", "console", "operator"];
export const binary = findNats().path;
/** Not root. */
export const OTHER_USER = 65_534;

/** The test, or the file, with which something ends. */
export type Owner = Pick<Test, "teardown">;

/** All variables of the files, for a server on loopback with a folder of its own. */
export async function environment(t: Owner, tls = certificate(t)): Promise<Record<string, string>> {
  const folder = mkdtempSync(join(realpathSync(tmpdir()), "stampede-nats-"));
  t.teardown(() => rmSync(folder, { recursive: true, force: true }));
  const [client, monitor, cluster] = await Promise.all([freePort(), freePort(), freePort()]);
  const passwords = USERS.map((user) => [`STAMPEDE_NATS_${user.toUpperCase()}_PASSWORD`, `secret-${user}`]);
  return {
    NATS_SERVER_NAME: "nats-0",
    NATS_LISTEN: `127.0.0.1:${client}`,
    NATS_MONITOR: `127.0.0.1:${monitor}`,
    NATS_STORE_DIR: folder,
    NATS_STORE_KEY: "key-of-the-store",
    NATS_CLUSTER_LISTEN: `127.0.0.1:${cluster}`,
    NATS_ROUTES: `["nats-route://routes:secret@127.0.0.1:${cluster}"]`,
    STAMPEDE_NATS_ROUTES_PASSWORD: "secret",
    ...tls,
    ...Object.fromEntries(passwords),
  };
}

/** A certificate for loopback, which is also its own authority. */
export function certificate(t: Owner): Record<"NATS_TLS_CERT" | "NATS_TLS_KEY" | "NATS_TLS_CA", string> {
  const { cert, key } = selfSignedCertificate(["127.0.0.1", "localhost"]);
  const folder = mkdtempSync(join(realpathSync(tmpdir()), "stampede-nats-tls-"));
  t.teardown(() => rmSync(folder, { recursive: true, force: true }));
  const [certFile, keyFile] = [join(folder, "cert.pem"), join(folder, "key.pem")];
  writeFileSync(certFile, cert);
  writeFileSync(keyFile, key, { mode: 0o600 });
  return { NATS_TLS_CERT: certFile, NATS_TLS_KEY: keyFile, NATS_TLS_CA: certFile };
}

/** What start.sh comes to with a nats-server that ends at once, as a user who is not root. */
export function startBriefly(
  env: Readonly<Record<string, string>>,
  file: string,
): { status: number | null; stderr: string } {
  const programs = mkdtempSync(join(realpathSync(tmpdir()), "stampede-nats-program-"));
  try {
    chmodSync(programs, 0o755);
    writeFileSync(join(programs, "nats-server"), "#!/bin/sh\n", { mode: 0o755 });
    const script = readDeployed("nats/start.sh");
    const { status, stderr } = spawnSync("sh", ["-c", script, "start.sh", "-c", file], {
      env: { ...env, PATH: `${programs}:${process.env.PATH}` },
      cwd: "/",
      encoding: "utf8",
      ...(process.getuid?.() === 0 && { uid: OTHER_USER, gid: OTHER_USER }),
    });
    return { status, stderr };
  } finally {
    rmSync(programs, { recursive: true, force: true });
  }
}

export function start(
  t: Owner,
  file: string,
  env: Readonly<Record<string, string>>,
  folder: string,
): ChildProcess {
  const server = spawn("sh", [join(folder, "start.sh"), "-c", join(folder, file)], {
    env: { ...env, PATH: `${dirname(binary)}:${process.env.PATH}` },
    stdio: "ignore",
  });
  const exited = once(server, "exit");
  t.teardown(async () => {
    server.kill("SIGKILL");
    await exited;
  });
  return server;
}
