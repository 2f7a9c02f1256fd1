import { createRequire } from "node:module";
import { LIMITS } from "#contract";

/**
 * The part of uWebSockets.js that we use. It is typed here and not imported, because the dependency is
 * optional, and the npm package (a fork, Node 16 to 20) and the author's releases name some functions
 * differently.
 */
export interface UwsModule {
  App(): UwsApp;
  readonly LIBUS_LISTEN_EXCLUSIVE_PORT: number;
  /** The fork's names. */
  closeSocket?(socket: UwsListenSocket): void;
  getSocketPort?(socket: UwsListenSocket): number;
  /** The author's names. */
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
   * Closes the listening socket and every connection immediately. The fork has it, but not in its type file.
   */
  close(): UwsApp;
}

/** Must not be used after the handler returns. */
export interface UwsRequest {
  getCaseSensitiveMethod(): string;
  getUrl(): string;
  /** Undefined without a `?`, although the type file says otherwise. */
  getQuery(): string | undefined;
  forEachHeader(visit: (name: string, value: string) => void): void;
}

/** Throws on every use after it has ended, was closed or was aborted. */
export interface UwsResponse {
  getRemoteAddressAsText(): ArrayBuffer;
  writeStatus(status: string): UwsResponse;
  writeHeader(name: string, value: string): UwsResponse;
  end(body: string | Uint8Array, closeConnection: boolean): UwsResponse;
  /** Sends as much as the client has room for, beginning with the next byte of a body of `totalSize`. */
  tryEnd(rest: Uint8Array, totalSize: number): [accepted: boolean, isDone: boolean];
  /** `offset`: how many bytes of the body have been sent. */
  onWritable(handler: (offset: number) => boolean): UwsResponse;
  close(): UwsResponse;
  /** Reads no more of the connection until `resume`; bytes already read are still parsed. */
  pause(): void;
  resume(): void;
  cork(write: () => void): UwsResponse;
  onAborted(handler: () => void): UwsResponse;
  onData(handler: (chunk: ArrayBuffer, isLast: boolean) => void): UwsResponse;
}

/** Loads the binary for this Node, platform and processor; throws the package's error if there is none. */
export function loadUws(): UwsModule {
  // Read by the C++ code at the first request (in the author's releases; the fork has 4096 built in): the
  // most bytes of an incomplete header block. It is above our own limit, so that ours decides.
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
 * Command that installs the author's release with a binary for this Node (its notes: 20.52 for Node 20 to 24,
 * 20.67 for 22 to 26).
 */
export function uwsInstallCommand(nodeVersion: string = process.versions.node): string {
  const major = Number.parseInt(nodeVersion, 10);
  return `npm install uNetworking/uWebSockets.js#${major <= 24 ? "v20.52.0" : "v20.67.0"}`;
}
