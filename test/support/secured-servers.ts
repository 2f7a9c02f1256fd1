import { chownSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import postgres from "postgres";
import { accountsConf, NATS_USERS } from "#nats";
import { type PrivateNats, type PrivatePostgres, privateNats, privatePostgres } from "./private-servers.ts";
import { selfSignedCertificate } from "./self-signed-certificate.ts";

/** A user of NATS: each service has one. */
export type NatsUser = (typeof NATS_USERS)[number];

/** Both servers as deploy/ sets them up: TLS, a NATS user for each service, a database role for each. */
export interface SecuredServers {
  readonly postgres: PrivatePostgres;
  readonly nats: PrivateNats;
  /** The PEM file of the authority that signed both certificates. */
  readonly caFile: string;
  /** The same server with a user's name and password, `tls://`. */
  natsUrl(user: NatsUser): string;
  remove(): Promise<void>;
}

const HANDSHAKE_SECONDS = 60;

const ROLES_FILE = new URL("../../../deploy/postgres/roles.sql", import.meta.url);

/** @param dir for the certificate, which lives as long as the servers */
export async function securedServers(
  dir: string,
  installation: { readonly prefix: string; readonly partitions: number },
): Promise<SecuredServers> {
  const caFile = join(dir, "ca.pem");
  const keyFile = join(dir, "key.pem");
  const { cert, key } = selfSignedCertificate(["127.0.0.1", "localhost"]);
  writeFileSync(caFile, cert);
  writeFileSync(keyFile, key, { mode: 0o600 });
  const passwords = Object.fromEntries(NATS_USERS.map((user) => [user, `p-${user}`]));
  const access = {
    config: [
      accountsConf(installation),
      // The default for a handshake is two seconds, which a busy machine may exceed.
      `tls { cert_file: ${JSON.stringify(caFile)}, key_file: ${JSON.stringify(keyFile)}, timeout: ${HANDSHAKE_SECONDS} }`,
      "",
    ].join("\n"),
    env: Object.fromEntries(
      NATS_USERS.map((user) => [`STAMPEDE_NATS_${user.toUpperCase()}_PASSWORD`, passwords[user]]),
    ),
  };
  const [database, nats] = await Promise.all([privatePostgres({ fsync: "off" }), privateNats(access)]);
  await offerTls(database.url, cert, key);
  return {
    postgres: database,
    nats,
    caFile,
    natsUrl: (user) => `tls://${user}:${passwords[user]}@127.0.0.1:${nats.port}`,
    remove: async () => {
      await Promise.all([database.remove(), nats.remove()]);
    },
  };
}

/** Puts the files into the data directory, owned by the server's user, who may differ from the user that runs the test. */
async function offerTls(url: string, cert: string, key: string): Promise<void> {
  const sql = postgres(url, { max: 1, onnotice: () => {} });
  try {
    const [row] = await sql<{ data_directory: string }[]>`show data_directory`;
    const directory = (row as { data_directory: string }).data_directory;
    const { uid, gid } = statSync(directory);
    for (const [name, text] of [
      ["server.crt", cert],
      ["server.key", key],
    ] as const) {
      const path = join(directory, name);
      writeFileSync(path, text, { mode: 0o600 });
      chownSync(path, uid, gid);
    }
    await sql.unsafe("alter system set ssl = on");
    await sql`select pg_reload_conf()`;
  } finally {
    await sql.end();
  }
}

/** Runs deploy/postgres/roles.sql in a database, as its administrator, and gives the roles passwords. */
export async function applyRoles(adminUrl: string, password: string): Promise<void> {
  const sql = postgres(adminUrl, { max: 1, onnotice: () => {} });
  try {
    await sql.unsafe(readFileSync(ROLES_FILE, "utf8"));
    for (const role of DATABASE_ROLES) await sql.unsafe(`alter role ${role} password '${password}'`);
  } finally {
    await sql.end();
  }
}

export const DATABASE_ROLES = [
  "stampede_owner",
  "stampede_edge",
  "stampede_ingest",
  "stampede_rewards",
  "stampede_webhooks",
  "stampede_console",
  "stampede_platform",
] as const;
export type DatabaseRole = (typeof DATABASE_ROLES)[number];

/** The URL of the same database for another user, over TLS. */
export function asRole(url: string, role: DatabaseRole, password: string, caFile: string): string {
  const changed = new URL(url);
  changed.username = role;
  changed.password = password;
  return `${changed.href}?sslmode=verify-full&sslrootcert=${encodeURIComponent(caFile)}`;
}
