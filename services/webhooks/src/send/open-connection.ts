import { connect as connectTcp, isIP, type LookupFunction, type Socket } from "node:net";
import { connect as connectTls } from "node:tls";
import { isAllowedAddress, localhostAddresses, type TargetPolicy } from "#domain";
import type { DeliveryErrorClass } from "#domain/webhooks";
import type { ResolveHost } from "./resolve-host.ts";

/** Why an attempt got no usable answer: a result of the delivery, and no fault of ours. */
export class AttemptFailure extends Error {
  readonly errorClass: DeliveryErrorClass;

  constructor(errorClass: DeliveryErrorClass, options?: ErrorOptions) {
    super(errorClass, options);
    this.name = "AttemptFailure";
    this.errorClass = errorClass;
  }
}

/** The code of an error, such as `ECONNRESET`, `ERR_SSL_…` or `UND_ERR_SOCKET`; empty if it has none. */
export function errorCode(error: unknown): string {
  const code = (error as { code?: unknown } | null | undefined)?.code;
  return typeof code === "string" ? code : "";
}

/** The time for one address of a name before the next is tried; the last has the rest of the attempt. */
const NEXT_ADDRESS_MS = 1_000;
/** Addresses of a name that are tried; the others are only checked. */
const ADDRESSES_TRIED = 4;

interface ConnectionOptions {
  readonly policy: TargetPolicy;
  readonly resolve: ResolveHost;
  /** Authorities to trust instead of the machine's, PEM. */
  readonly ca?: string | undefined;
}

/** A socket that is ready for a request, and the one under it, which is the same without TLS. */
export interface OpenedConnection {
  readonly socket: Socket;
  /** Its `bytesRead` are those that came over the network. */
  readonly wire: Socket;
}

/**
 * Connects to the host of a URL, if that is allowed (contract, section 10). The name is resolved once, every address is checked, and the
 * connection goes to one of them: so a name cannot resolve to another address a moment later. The socket's final address is checked
 * too, before anything is sent.
 * @returns for https the certificate is valid for the host
 * @throws AttemptFailure; the signal's reason when it aborts, and then no connection is left open
 */
export async function openConnection(
  { protocol, hostname, port }: URL,
  { policy, resolve, ca }: ConnectionOptions,
  signal: AbortSignal,
): Promise<OpenedConnection> {
  const host = hostname.replace(/^\[(.*)\]$/, "$1");
  const addresses = isIP(host) === 0 ? await addressesOf(host, resolve, signal) : [host];
  if (!addresses.every((address) => isAllowedAddress(address, policy))) {
    throw new AttemptFailure("blocked_address");
  }
  const isTls = protocol === "https:";
  const wire = await openTcp(host, addresses, Number(port) || (isTls ? 443 : 80), signal);
  if (!isAllowedAddress(wire.remoteAddress ?? "", policy)) {
    wire.destroy();
    throw new AttemptFailure("blocked_address");
  }
  return { socket: isTls ? await secure(wire, host, ca, signal) : wire, wire };
}

async function addressesOf(
  name: string,
  resolve: ResolveHost,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const local = localhostAddresses(name);
  if (local !== undefined) return local;
  try {
    // A query cannot be cancelled: after an abort it ends by its own time-out, and its result is dropped.
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
    // TLS knows no server name for an address: the certificate is checked against the address then.
    ...(isIP(host) === 0 && { servername: host.replace(/\.$/, "") }),
  });
  return ready(secured, "secureConnect", signal, (cause) => {
    const isEnd = ["ECONNRESET", "EPIPE"].includes(errorCode(cause));
    return new AttemptFailure(isEnd ? "connection_reset" : "tls_error", { cause });
  });
}

/** Waits for an event of a socket. If the event does not come, the socket is closed. */
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
    // This listener stays: an idle connection may fail between two requests, when nothing else listens.
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
