import { connect as connectTcp, isIP, type LookupFunction, type Socket } from "node:net";
import { connect as connectTls } from "node:tls";
import { isAllowedAddress, localhostAddresses, type TargetPolicy } from "#domain";
import { AttemptFailure, errorCode } from "./attempt-failure.ts";
import type { ResolveHost } from "./resolve-host.ts";

/** Before the next address of a name is tried beside; the last one has what is left of the attempt. */
const NEXT_ADDRESS_MS = 1_000;
/** Of a name with more, the others are looked at and not tried. */
const ADDRESSES_TRIED = 4;

export interface ConnectionOptions {
  readonly policy: TargetPolicy;
  readonly resolve: ResolveHost;
  /** Authorities to trust instead of the machine's, PEM. */
  readonly ca?: string | undefined;
}

/**
 * Connects to the host of a URL, if that is allowed (contract, section 10). The name is resolved once, every address is
 * looked at, and the connection goes to one of these: a name that says something else a moment later is not asked again.
 * The address that the socket has in the end is looked at too, before anything is sent.
 * @returns a socket that is ready for a request; for https its certificate was that of the host
 * @throws AttemptFailure; the signal's reason when it aborts, and no connection is left then
 */
export async function openConnection(
  { protocol, hostname, port }: URL,
  { policy, resolve, ca }: ConnectionOptions,
  signal: AbortSignal,
): Promise<Socket> {
  const host = hostname.replace(/^\[(.*)\]$/, "$1");
  const addresses = isIP(host) === 0 ? await addressesOf(host, resolve, signal) : [host];
  if (!addresses.every((address) => isAllowedAddress(address, policy))) {
    throw new AttemptFailure("blocked_address");
  }
  const isTls = protocol === "https:";
  const socket = await openTcp(host, addresses, Number(port) || (isTls ? 443 : 80), signal);
  if (!isAllowedAddress(socket.remoteAddress ?? "", policy)) {
    socket.destroy();
    throw new AttemptFailure("blocked_address");
  }
  return isTls ? secure(socket, host, ca, signal) : socket;
}

async function addressesOf(
  name: string,
  resolve: ResolveHost,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const local = localhostAddresses(name);
  if (local !== undefined) return local;
  try {
    // A question cannot be taken back: it ends by its own time-out, with nobody listening.
    const addresses = await orAborted(resolve(name), signal);
    if (addresses.length > 0) return addresses;
  } catch (cause) {
    signal.throwIfAborted();
    throw new AttemptFailure("dns_error", { cause });
  }
  throw new AttemptFailure("dns_error");
}

function openTcp(
  host: string,
  addresses: readonly string[],
  port: number,
  signal: AbortSignal,
): Promise<Socket> {
  const tried = addresses.slice(0, ADDRESSES_TRIED).map((address) => ({ address, family: isIP(address) }));
  const lookup: LookupFunction = (_name, _options, callback) => callback(null, tried);
  const socket = connectTcp({
    host,
    port,
    lookup,
    noDelay: true,
    autoSelectFamily: true,
    autoSelectFamilyAttemptTimeout: NEXT_ADDRESS_MS,
  });
  return ready(socket, "connect", signal, (cause) => {
    switch (errorCode(cause)) {
      case "ETIMEDOUT":
        return new AttemptFailure("timeout", { cause });
      case "ECONNRESET":
        return new AttemptFailure("connection_reset", { cause });
      default:
        return new AttemptFailure("connection_refused", { cause });
    }
  });
}

function secure(socket: Socket, host: string, ca: string | undefined, signal: AbortSignal): Promise<Socket> {
  const secured = connectTls({
    socket,
    host,
    ca,
    ALPNProtocols: ["http/1.1"],
    // A server name is a name: for an address there is none, and the certificate is that of the address.
    ...(isIP(host) === 0 && { servername: host.replace(/\.$/, "") }),
  });
  return ready(secured, "secureConnect", signal, (cause) => {
    const isEnd = ["ECONNRESET", "EPIPE"].includes(errorCode(cause));
    return new AttemptFailure(isEnd ? "connection_reset" : "tls_error", { cause });
  });
}

/** Waits for an event of a socket. If that does not come, the socket is gone afterwards. */
function ready(
  socket: Socket,
  event: "connect" | "secureConnect",
  signal: AbortSignal,
  failureOf: (error: Error) => AttemptFailure,
): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const abort = () => {
      socket.destroy();
      reject(signal.reason);
    };
    // It stays: between two requests an idle connection may fail with nobody else listening.
    socket.on("error", (error) => {
      signal.removeEventListener("abort", abort);
      reject(failureOf(error));
    });
    socket.once(event, () => {
      signal.removeEventListener("abort", abort);
      resolve(socket);
    });
    signal.addEventListener("abort", abort, { once: true });
    if (signal.aborted) abort();
  });
}

function orAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason);
    signal.addEventListener("abort", abort, { once: true });
    if (signal.aborted) abort();
    work.then(resolve, reject).finally(() => signal.removeEventListener("abort", abort));
  });
}
