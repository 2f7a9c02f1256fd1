import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { resetSocket } from "#test-support";

/** What happens to a connection while a fault lasts. Afterwards both sides of what is left of it are reset. */
export const LINK_FAULTS = ["cut", "stall", "client-reset", "server-reset", "swallow"] as const;
/**
 * cut: both sides are reset; stall: nothing passes, and all of it arrives later, as if a cable were out;
 * client-reset: the server believes that its client is still there; server-reset: the client believes that
 * its server is still there; swallow: both believe it, and every byte vanishes.
 */
export type LinkFault = (typeof LINK_FAULTS)[number];

/** One client's connection to the proxy, and the proxy's to the server. */
interface Link {
  readonly client: Socket;
  readonly server: Socket;
  /** Undefined: no fault. */
  fault: LinkFault | undefined;
}

/** A TCP proxy on loopback whose connections fail one by one or all together, in the ways of real networks. */
export class FaultProxy {
  readonly #target: { readonly host: string; readonly port: number };
  readonly #links = new Set<Link>();
  /** The fault of all connections, new ones too. */
  #general: LinkFault | undefined;
  readonly #listener = createServer({ noDelay: true }, (client) => this.#serve(client));

  static async start(url: string): Promise<FaultProxy> {
    const { hostname, port } = new URL(url);
    const proxy = new FaultProxy({ host: hostname, port: Number(port) });
    await new Promise<void>((resolve) => proxy.#listener.listen(0, "127.0.0.1", resolve));
    return proxy;
  }

  private constructor(target: { readonly host: string; readonly port: number }) {
    this.#target = target;
  }

  /** The same URL through the proxy. */
  through(url: string): string {
    const proxied = new URL(url);
    proxied.hostname = "127.0.0.1";
    proxied.port = String((this.#listener.address() as AddressInfo).port);
    return proxied.href;
  }

  /**
   * @param draw from [0, 1): which connection; undefined: all of them, and those that are opened meanwhile
   * @returns a function that ends the fault; undefined if there is no connection to strike
   */
  strike(fault: LinkFault, draw?: number): (() => void) | undefined {
    const links = [...this.#links].filter((link) => link.fault === undefined);
    if (draw !== undefined) {
      const link = links[Math.floor(draw * links.length)];
      if (link === undefined) return undefined;
      inflict(link, fault);
      return () => this.#end([link]);
    }
    if (this.#general !== undefined) return undefined;
    this.#general = fault;
    for (const link of links) inflict(link, fault);
    return () => {
      this.#general = undefined;
      this.#end([...this.#links]);
    };
  }

  async close(): Promise<void> {
    for (const { client, server } of this.#links) {
      client.destroy();
      server.destroy();
    }
    await new Promise((resolve) => this.#listener.close(resolve));
  }

  #serve(client: Socket): void {
    if (this.#general === "cut") {
      resetSocket(client.on("error", () => {}));
      return;
    }
    const server = connect({ ...this.#target, noDelay: true });
    const link: Link = { client, server, fault: undefined };
    this.#links.add(link);
    for (const [one, other] of [
      [client, server],
      [server, client],
    ] as const) {
      one.on("error", () => {});
      one.on("close", () => {
        // While a connection has a fault, the other side does not learn that this one has closed.
        if (link.fault === undefined || other.destroyed) {
          other.destroy();
          this.#links.delete(link);
        }
      });
      one.pipe(other);
    }
    if (this.#general !== undefined) inflict(link, this.#general);
  }

  #end(links: readonly Link[]): void {
    for (const link of links) {
      const { client, server, fault } = link;
      if (fault === undefined) continue;
      const isWhole = fault === "stall" && !client.destroyed && !server.destroyed;
      link.fault = undefined;
      if (isWhole) {
        client.pipe(server);
        server.pipe(client);
        continue;
      }
      resetSocket(client);
      resetSocket(server);
      this.#links.delete(link);
    }
  }
}

function inflict(link: Link, fault: LinkFault): void {
  const { client, server } = link;
  link.fault = fault;
  client.unpipe(server);
  server.unpipe(client);
  switch (fault) {
    case "cut":
      resetSocket(client);
      resetSocket(server);
      return;
    case "stall":
      client.pause();
      server.pause();
      return;
    case "client-reset":
      resetSocket(client);
      server.resume();
      return;
    case "server-reset":
      resetSocket(server);
      client.resume();
      return;
    case "swallow":
      client.resume();
      server.resume();
  }
}
