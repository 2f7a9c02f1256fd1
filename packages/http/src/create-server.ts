import { NodeServer } from "./node-server.ts";
import { type AdapterName, type HttpServer, HttpServerError, type HttpServerOptions } from "./server.ts";
import { loadUws, type UwsModule, uwsInstallCommand } from "./uws-module.ts";
import { UwsServer } from "./uws-server.ts";

export interface CreateHttpServerOptions extends HttpServerOptions {
  /** "auto": uWebSockets.js where it has a binary for this Node, else node:http. */
  readonly adapter: "auto" | AdapterName;
  /** Called once, with a sentence for the log, when "auto" has to fall back to node:http. */
  readonly onNotice: (sentence: string) => void;
  /** For tests: stands in for loading uWebSockets.js. */
  readonly loadUws?: () => UwsModule;
}

/**
 * Makes a server, which does not listen yet. Throws `HttpServerError` `uws_unavailable` for "uws" without a
 * binary.
 */
export function createHttpServer(options: CreateHttpServerOptions): HttpServer {
  const uws = options.adapter === "node" ? undefined : findUws(options);
  return uws === undefined ? new NodeServer(options) : new UwsServer(uws, options);
}

function findUws(options: CreateHttpServerOptions): UwsModule | undefined {
  try {
    return (options.loadUws ?? loadUws)();
  } catch (error) {
    const sentence = unavailable(error);
    if (options.adapter === "uws") throw new HttpServerError("uws_unavailable", sentence, error);
    options.onNotice(`${sentence} Until then node:http serves instead, more slowly.`);
    return undefined;
  }
}

function unavailable(error: unknown): string {
  const { versions, platform, arch } = process;
  const missing = (error as NodeJS.ErrnoException)?.code === "MODULE_NOT_FOUND";
  const reason = missing
    ? "is not installed"
    : `has no binary for Node ${versions.node} on ${platform}-${arch}`;
  return `uWebSockets.js ${reason}; "${uwsInstallCommand()}" installs a release of its author that has one.`;
}

/** `http://host:port`, with an IPv6 address in brackets. */
export function httpOrigin(host: string, port: number): string {
  return `http://${host.includes(":") ? `[${host}]` : host}:${port}`;
}
