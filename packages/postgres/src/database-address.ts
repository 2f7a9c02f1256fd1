import { readFileSync } from "node:fs";
import { StartError } from "#runtime";

/** How a connection is protected, in libpq's terms. */
export interface DatabaseTls {
  /** require: encrypted. verify-ca: also signed by a known authority. verify-full: also for this host. */
  readonly mode: "require" | "verify-ca" | "verify-full";
  /** PEM file of the authority; absent: the authorities that Node knows. Read again at every connection. */
  readonly caFile: string | undefined;
}

interface DatabaseAddress {
  /** For the driver, without TLS settings: `openSocket` makes TLS. */
  readonly url: string;
  /** Undefined for plain text. */
  readonly tls: DatabaseTls | undefined;
}

const MODES = ["require", "verify-ca", "verify-full"] as const;

/**
 * Takes `sslmode` and `sslrootcert` out of a PostgreSQL URL. Modes that fall back to plain text when the
 * server offers nothing else (`allow`, `prefer`) are refused, because then an attacker between us and the
 * server could force plain text.
 * @throws StartError
 */
export function readDatabaseAddress(url: string): DatabaseAddress {
  if (!/[?&]ssl(mode|rootcert)=/.test(url)) return { url, tls: undefined };
  const parsed = new URL(url);
  const { searchParams } = parsed;
  const rootCertificate = searchParams.get("sslrootcert") ?? undefined;
  const mode = searchParams.get("sslmode") ?? (rootCertificate === undefined ? "disable" : "verify-full");
  searchParams.delete("sslmode");
  searchParams.delete("sslrootcert");
  if (mode === "disable") return { url: parsed.href, tls: undefined };
  const known = MODES.find((one) => one === mode);
  if (known === undefined) {
    const why = `DATABASE_URL has sslmode=${mode}`;
    throw new StartError(
      "database_tls",
      `${why}: say disable, ${MODES.join(", ")}; nothing is tried in between`,
    );
  }
  const caFile = rootCertificate === "system" ? undefined : rootCertificate;
  if (caFile !== undefined) assertReadable(caFile);
  return { url: parsed.href, tls: { mode: known, caFile } };
}

function assertReadable(caFile: string): void {
  try {
    readFileSync(caFile);
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    const what = `${caFile} (STAMPEDE_DATABASE_CA_FILE, or sslrootcert)`;
    throw new StartError("database_tls", `${what} cannot be read (${code})`, { cause });
  }
}
