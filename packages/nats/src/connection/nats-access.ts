import { readFileSync } from "node:fs";
import { checkServerIdentity } from "node:tls";
import {
  AuthorizationError,
  credsAuthenticator,
  type NodeConnectionOptions,
  TimeoutError,
  type TlsOptions,
} from "@nats-io/transport-node";
import { explainTlsFault, type Settings, StartError } from "#runtime";

/** The address of NATS, and the credentials. All but the URL is optional. */
export type AccessSettings = Partial<
  Pick<Settings, "natsCaFile" | "natsCertFile" | "natsKeyFile" | "natsCredsFile">
>;

/** The settings of a connection. */
export interface NatsAccess {
  /** `host:port` of the first server, for error messages. */
  readonly address: string;
  readonly options: NodeConnectionOptions;
  /** Turns the failure of a first connection into one line with advice. */
  explain(cause: unknown): StartError;
}

/**
 * Reads NATS_URL (servers separated by commas; user, password and protocol of the first hold for all) and the
 * files of the other settings. `tls://` demands TLS, and so does naming a CA or certificate file: a server
 * without TLS is then refused before anything is sent to it, at the start and at every reconnect.
 * @throws StartError if a file cannot be read, or if one is named without another that it needs
 */
export function natsAccess(url: string, settings: AccessSettings): NatsAccess {
  const servers = url.split(",").map((server) => new URL(server));
  const first = servers[0] as URL;
  const { natsCaFile, natsCertFile, natsKeyFile, natsCredsFile } = settings;
  if ((natsCertFile === undefined) !== (natsKeyFile === undefined)) {
    throw new StartError(
      "nats_files",
      "set STAMPEDE_NATS_CERT_FILE and STAMPEDE_NATS_KEY_FILE, both or neither",
    );
  }
  if (natsCredsFile !== undefined && first.username !== "") {
    throw new StartError(
      "nats_files",
      "STAMPEDE_NATS_CREDS_FILE is set and NATS_URL names a user: keep one of them",
    );
  }
  assertReadable({
    STAMPEDE_NATS_CA_FILE: natsCaFile,
    STAMPEDE_NATS_CERT_FILE: natsCertFile,
    STAMPEDE_NATS_KEY_FILE: natsKeyFile,
    STAMPEDE_NATS_CREDS_FILE: natsCredsFile,
  });
  const wantsTls = first.protocol === "tls:" || (natsCaFile ?? natsCertFile) !== undefined;
  const tls: TlsOptions = {
    ...(natsCaFile !== undefined && { caFile: natsCaFile }),
    ...(natsCertFile !== undefined && { certFile: natsCertFile, keyFile: natsKeyFile as string }),
    ...identityOf(servers.map(({ hostname }) => hostname.replace(/^\[|\]$/g, ""))),
  };
  return {
    address: first.host,
    options: {
      // User and password are separate from the address: the client takes them only from here.
      servers: servers.map(({ host }) => host),
      ...(first.username !== "" && {
        user: decodeURIComponent(first.username),
        pass: decodeURIComponent(first.password),
      }),
      // Read again at every connection, so that renewed files need no restart.
      ...(natsCredsFile !== undefined && {
        authenticator: (nonce?: string) => credsAuthenticator(readFileSync(natsCredsFile))(nonce),
      }),
      ...(wantsTls && { tls }),
    },
    explain: (cause) => explain(cause, first, wantsTls),
  };
}

/**
 * The certificate must be for one of the hosts of NATS_URL. By default the client asks for "localhost" if the
 * URL has an address, and a cluster announces its other servers by address.
 */
function identityOf(hosts: readonly string[]): Pick<TlsOptions, never> {
  const check: typeof checkServerIdentity = (_, certificate) => {
    const faults = hosts.map((host) => checkServerIdentity(host, certificate));
    return faults.includes(undefined) ? undefined : faults[0];
  };
  // The client hands it to `tls.connect` unchanged, but its types do not know this option.
  return { checkServerIdentity: check } as Pick<TlsOptions, never>;
}

function assertReadable(files: Readonly<Record<string, string | undefined>>): void {
  for (const [key, path] of Object.entries(files)) {
    if (path === undefined) continue;
    try {
      readFileSync(path);
    } catch (cause) {
      const { code } = cause as NodeJS.ErrnoException;
      throw new StartError("nats_files", `${key}: ${path} cannot be read (${code})`, { cause });
    }
  }
}

function explain(cause: unknown, { host, username }: URL, wantsTls: boolean): StartError {
  const untrusted = explainTlsFault(cause, "STAMPEDE_NATS_CA_FILE");
  if (untrusted !== undefined) {
    return new StartError("nats_tls", `NATS at ${host} cannot be trusted: ${untrusted}`, { cause });
  }
  const { message } = cause as Error;
  if (wantsTls && message.includes("does not support 'tls'")) {
    const why = `NATS at ${host} offers no TLS, which is demanded (tls:// in NATS_URL, or STAMPEDE_NATS_CA_FILE)`;
    return new StartError("nats_tls", `${why}: give the server a tls block; nothing was sent in plain text`, {
      cause,
    });
  }
  // With TLS 1.3 a server asks for a certificate after the handshake, and the client does not notice.
  if (wantsTls && cause instanceof TimeoutError) {
    const doThis =
      "if it asks for a certificate, set STAMPEDE_NATS_CERT_FILE and STAMPEDE_NATS_KEY_FILE to one it accepts";
    // The server may also be frozen, so the fault may be temporary.
    return new StartError("nats_tls", `NATS at ${host} begins TLS and then says nothing: ${doThis}`, {
      cause,
      passes: true,
    });
  }
  // The client reports this as an authorization error, but it is a time-out: in the soak test, processes were
  // frozen between connecting and logging in.
  if (cause instanceof AuthorizationError && /authentication timeout/i.test(message)) {
    const why = "did not wait for the end of the login: the server, this process or the way between is slow";
    return new StartError("nats_unreachable", `NATS at ${host} ${why}`, { cause, passes: true });
  }
  if (cause instanceof AuthorizationError) {
    const who = username === "" ? "this process" : `user ${decodeURIComponent(username)}`;
    const doThis = "check user and password in NATS_URL, or STAMPEDE_NATS_CREDS_FILE";
    return new StartError("nats_login", `NATS at ${host} does not let ${who} in: ${doThis}`, { cause });
  }
  return new StartError("nats_unreachable", `NATS does not answer at ${host}: start it, or set NATS_URL`, {
    cause,
    passes: true,
  });
}
