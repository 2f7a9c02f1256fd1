import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { resetSocket, type ServiceProcess } from "#test-support";

const LOOK_MS = 100;

/**
 * A typical load balancer: it asks every process for `/readyz` now and then, and hands each new connection,
 * in turn, to one of those that were ready at its last look. It leaves open connections alone, and passes an
 * error on one side to the other, a reset as a reset.
 */
export class Balancer {
  readonly #processes: () => readonly ServiceProcess[];
  readonly #server = createServer({ allowHalfOpen: true, noDelay: true }, (client) => this.#serve(client));
  readonly #sockets = new Set<Socket>();
  readonly #timer: NodeJS.Timeout;
  #ready: ServiceProcess[] = [];
  #turn = 0;
  #isLooking = false;

  /** Resolves when it listens and has looked. */
  static async start(processes: () => readonly ServiceProcess[]): Promise<Balancer> {
    const balancer = new Balancer(processes);
    await balancer.#look();
    await new Promise<void>((resolve) => balancer.#server.listen(0, "127.0.0.1", resolve));
    return balancer;
  }

  private constructor(processes: () => readonly ServiceProcess[]) {
    this.#processes = processes;
    this.#timer = setInterval(() => void this.#look(), LOOK_MS);
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    for (const socket of this.#sockets) socket.destroy();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async #look(): Promise<void> {
    if (this.#isLooking) return;
    this.#isLooking = true;
    const looks = this.#processes().map(async (process) => ((await isReady(process)) ? [process] : []));
    this.#ready = (await Promise.all(looks)).flat();
    this.#isLooking = false;
  }

  #serve(client: Socket): void {
    const process = this.#ready[this.#turn++ % this.#ready.length];
    if (process?.url === undefined) {
      resetSocket(client);
      return;
    }
    const { hostname, port } = new URL(process.url);
    const server = connect({ host: hostname, port: Number(port), allowHalfOpen: true, noDelay: true });
    for (const [from, to] of [
      [client, server],
      [server, client],
    ] as const) {
      this.#sockets.add(from);
      from.pipe(to);
      from.on("error", () => resetSocket(to));
      from.on("close", () => this.#sockets.delete(from));
    }
  }
}

/** No answer within 2 s counts as not ready. The process may end before it answers. */
function isReady(process: ServiceProcess): Promise<boolean> {
  if (!process.child.connected) return Promise.resolve(false);
  return new Promise((resolve) => {
    const end = (ready: boolean) => {
      clearTimeout(timer);
      process.child.off("exit", onExit);
      resolve(ready);
    };
    const onExit = () => end(false);
    const timer = setTimeout(onExit, 2_000);
    process.child.once("exit", onExit);
    process.ops("/readyz").then(({ status }) => end(status === 200), onExit);
  });
}
