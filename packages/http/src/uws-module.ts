import { createRequire } from "node:module";
import { LIMITS } from "#contract";

/**
 * The part of uWebSockets.js that we use, typed here and not imported: the dependency is optional, and the
 * npm package (a fork, Node 16 to 20) and the author's releases name some functions differently.
 */
export interface UwsModule {
  App(): UwsApp;
  readonly LIBUS_LISTEN_EXCLUSIVE_PORT: number;
  /** The fork's names … */
  closeSocket?(socket: UwsListenSocket): void;
  getSocketPort?(socket: UwsListenSocket): number;
  /** … and the author's. */
  us_listen_socket_close?(socket: UwsListenSocket): void;
  us_socket_local_port?(socket: UwsListenSocket): number;
}

export type UwsListenSocket = object;

export interface UwsApp {
  any(pattern: string, handler: (res: UwsResponse, req: UwsRequest) => void): UwsApp;
  listen(
    host: string,
    port: number,
    options: number,
    done: (socket: UwsListenSocket | false) => void,
  ): UwsApp;
  /**
   * Closes the listen socket and every connection at once. Missing in the fork's type file, not in the fork.
   */
  close(): UwsApp;
}

/** Dead when the handler returns. */
export interface UwsRequest {
  getCaseSensitiveMethod(): string;
  getUrl(): string;
  /** Undefined without a `?`, whatever the type file says. */
  getQuery(): string | undefined;
  forEachHeader(visit: (name: string, value: string) => void): void;
}

/** Throws on every use after its end, its close or its abort. */
export interface UwsResponse {
  getRemoteAddressAsText(): ArrayBuffer;
  writeStatus(status: string): UwsResponse;
  writeHeader(name: string, value: string): UwsResponse;
  end(body: string | Uint8Array, closeConnection: boolean): UwsResponse;
  endWithoutBody(): UwsResponse;
  /** Sends what the client has room for, from the next byte of a body of `totalSize` on. */
  tryEnd(rest: Uint8Array, totalSize: number): [accepted: boolean, isDone: boolean];
  /** `offset`: bytes of the body that have been sent. */
  onWritable(handler: (offset: number) => boolean): UwsResponse;
  close(): UwsResponse;
  cork(write: () => void): UwsResponse;
  onAborted(handler: () => void): UwsResponse;
  onData(handler: (chunk: ArrayBuffer, isLast: boolean) => void): UwsResponse;
}

/**
 * Loads the binary for this Node, platform and processor; throws what the package throws when there is none.
 */
export function loadUws(): UwsModule {
  // Read by the C++ at the first request (author's releases; the fork has 4096 built in): how much of a
  // header block may wait for its rest. Above our own limit, so that ours is the one that answers.
  process.env.UWS_HTTP_MAX_HEADERS_SIZE ??= String(2 * LIMITS.headerBlockBytes);
  return createRequire(import.meta.url)("uWebSockets.js") as UwsModule;
}

/** Whether uWebSockets.js has a binary for this Node, platform and processor. */
export function hasUws(): boolean {
  try {
    loadUws();
    return true;
  } catch {
    return false;
  }
}

/**
 * The release of the author that has a binary for this Node (its notes: 20.52 for 20 to 24, 20.67 for 22 to
 * 26).
 */
export function uwsInstallCommand(nodeVersion: string = process.versions.node): string {
  const major = Number.parseInt(nodeVersion, 10);
  return `npm install uNetworking/uWebSockets.js#${major <= 24 ? "v20.52.0" : "v20.67.0"}`;
}
