import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { StartError } from "#runtime";

const ANSWER_MS = 5_000;

export interface ExternalServer {
  /** How messages call it. */
  readonly name: string;
  /** The environment variable that names it. */
  readonly key: string;
  readonly url: string;
  readonly defaultPort: number;
}

/** Where a server's URL points, without the password that it may hold. */
export function hostOf(url: string): string {
  return url
    .split(",")
    .map((one) => new URL(one).host)
    .join(", ");
}

/**
 * Makes sure that something listens where an external server is said to be, so that a wrong address is one clear line
 * here and not the trouble of every service. Returns what it says first, if it speaks first (NATS does).
 */
export async function reachExternal({ name, key, url, defaultPort }: ExternalServer): Promise<string> {
  let reason = "";
  for (const one of url.split(",")) {
    const { hostname, port } = new URL(one);
    const socket = connect(port === "" ? defaultPort : Number(port), hostname.replace(/^\[|\]$/g, ""));
    try {
      await once(socket, "connect", { signal: AbortSignal.timeout(ANSWER_MS) });
      return name === "NATS" ? await firstWords(socket) : "";
    } catch (error) {
      reason = (error as NodeJS.ErrnoException).code ?? (error as Error).message;
    } finally {
      socket.destroy();
    }
  }
  const doThis = `start it, or correct ${key} (without it an embedded one is started)`;
  throw new StartError("server_unreachable", `no ${name} answers at ${hostOf(url)} (${reason}): ${doThis}`);
}

async function firstWords(socket: Socket): Promise<string> {
  const [data] = (await once(socket, "data", { signal: AbortSignal.timeout(ANSWER_MS) })) as [Buffer];
  return data.toString("utf8");
}

/** The version in a NATS server's greeting, `INFO {"version":"2.14.0",…}`. */
export function natsVersionOf(greeting: string): string | undefined {
  return /"version":"(\d+\.\d+\.\d+[^"]*)"/.exec(greeting)?.[1];
}
