import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { resetSocket } from "./reset-socket.ts";

/** What happens to a connection while a fault lasts. Afterwards both sides of what is left of it are reset. */
export const LINK_FAULTS = ["cut", "stall", "client-reset", "server-reset", "swallow"] as const;
/**
 * cut: both sides are reset; stall: nothing passes, and all of it arrives later, as if a cable were out;
 * client-reset: the server believes that its client is still there; server-reset: the client believes that
 * its server is still there; swallow: both believe it, and every byte vanishes.
 */
export type LinkFault = (typeof LINK_FAULTS)[number];
/** Half of a stall: what this side sends arrives later, while the other's bytes still pass. */
type HalfStall = "client-stall" | "server-stall";

/** One client's connection to the proxy, and the proxy's to the server. */
interface Link {
  readonly client: Socket;
  readonly server: Socket;
  /** Undefined: no fault. */
  fault: LinkFault | HalfStall | undefined;
}

/** A TCP proxy on loopback whose connections fail one by one or all together, in the ways of real networks. */
export class TcpProxy {
  #target: { readonly host: string; readonly port: number };
  readonly #links = new Set<Link>();
  /** The fault of all connections, new ones too. */
  #general: Link["fault"];
  readonly #listener = createServer({ noDelay: true }, (client) => this.#serve(client));

  /** @param url whose host and port new connections lead to */
  static async start(url: string): Promise<TcpProxy> {
    const proxy = new TcpProxy(url);
    await new Promise<void>((resolve) => proxy.#listener.listen(0, "127.0.0.1", resolve));
    return proxy;
  }

  private constructor(url: string) {
    this.#target = addressOf(url);
  }

  get port(): number {
    return (this.#listener.address() as AddressInfo).port;
  }

  /** The same URL through the proxy. */
  through(url: string): string {
    const proxied = new URL(url);
    proxied.hostname = "127.0.0.1";
    proxied.port = String(this.port);
    return proxied.href;
  }

  /** Leads new connections to another server. */
  leadTo(url: string): void {
    this.#target = addressOf(url);
  }

  /**
   * @param draw from [0, 1): which connection; undefined: all of them, and those that are opened meanwhile
   * @returns a function that ends the fault; undefined if there is no connection to strike
   */
  strike(fault: LinkFault, draw?: number): (() => void) | undefined {
    if (draw !== undefined) {
      const links = [...this.#links].filter((link) => link.fault === undefined);
      const link = links[Math.floor(draw * links.length)];
      if (link === undefined) return undefined;
      inflict(link, fault);
      return () => this.#end([link]);
    }
    if (this.#general !== undefined) return undefined;
    this.#impose(fault);
    return () => this.thaw();
  }

  /** A stall of the connection that the proxy has opened from this port: by it the server knows its client. */
  stallFrom(port: number): void {
    for (const link of this.#links) if (link.server.localPort === port) inflict(link, "stall");
  }

  /** A stall of all connections, until `thaw`. */
  freeze(): void {
    this.#impose("stall");
  }

  /** Half-open, until `thaw`: what the clients send is held, while the server's bytes still reach them. */
  freezeClient(): void {
    this.#impose("client-stall");
  }

  /** The other half. */
  freezeServer(): void {
    this.#impose("server-stall");
  }

  /** Resets every open connection, and new ones as soon as they come, until `thaw`. */
  refuse(): void {
    this.#impose("cut");
  }

  /** Ends the fault of all connections. */
  thaw(): void {
    const general = this.#general;
    this.#general = undefined;
    this.#end([...this.#links].filter((link) => link.fault === general));
  }

  /** Resets every open connection; new ones are accepted as before. */
  cut(): void {
    for (const link of this.#links) inflict(link, "cut");
  }

  /** The open connections get a client-reset, until `close`. New ones are accepted as before. */
  cutClient(): void {
    for (const link of this.#links) inflict(link, "client-reset");
  }

  async close(): Promise<void> {
    for (const { client, server } of this.#links) {
      client.destroy();
      server.destroy();
    }
    await new Promise((resolve) => this.#listener.close(resolve));
  }

  #impose(fault: LinkFault | HalfStall): void {
    const before = this.#general;
    this.#general = fault;
    for (const link of this.#links) {
      if (link.fault === undefined || link.fault === before) inflict(link, fault);
    }
  }

  #serve(client: Socket): void {
    if (this.#general === "cut") {
      resetSocket(client.on("error", () => {}));
      return;
    }
    const server = connect({ ...this.#target, noDelay: true });
    const link: Link = { client, server, fault: undefined };
    this.#links.add(link);
    for (const [one, other, passes] of [
      [client, server, "server-stall"],
      [server, client, "client-stall"],
    ] as const) {
      one.on("error", () => {});
      one.on("close", () => {
        // While its bytes do not pass, the other side does not learn that this one has closed.
        if (link.fault === undefined || link.fault === passes || other.destroyed) {
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
      const isWhole = fault.endsWith("stall") && !client.destroyed && !server.destroyed;
      link.fault = undefined;
      if (isWhole) {
        if (fault !== "server-stall") client.pipe(server);
        if (fault !== "client-stall") server.pipe(client);
        continue;
      }
      resetSocket(client);
      resetSocket(server);
      this.#links.delete(link);
    }
  }
}

function addressOf(url: string): { readonly host: string; readonly port: number } {
  const { hostname, port } = new URL(url);
  return { host: hostname, port: Number(port) };
}

function inflict(link: Link, fault: LinkFault | HalfStall): void {
  const { client, server } = link;
  link.fault = fault;
  if (fault !== "server-stall") client.unpipe(server);
  if (fault !== "client-stall") server.unpipe(client);
  switch (fault) {
    case "cut":
      resetSocket(client);
      resetSocket(server);
      return;
    case "stall":
      client.pause();
      server.pause();
      return;
    case "client-stall":
      client.pause();
      return;
    case "server-stall":
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
