import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { ServiceProcess } from "#test-support";

/**
 * An address for the operations endpoints of one process, as if each process were started by itself: the
 * endpoints of a pipeline answer only the test that started it. The address stays when the process is killed
 * and another takes its place.
 */
export class OpsDoor {
  readonly #server: Server;
  #behind: ServiceProcess | undefined;

  private constructor(process: ServiceProcess) {
    this.#behind = process;
    this.#server = createServer(async ({ url = "/", headers, socket }, response) => {
      const answer = await this.#behind?.ops(url, headers.accept).catch(() => undefined);
      if (answer === undefined) socket.destroy();
      else response.writeHead(answer.status, { "content-type": answer.contentType }).end(answer.body);
    });
  }

  /** Opens a door on a free port. */
  static async open(process: ServiceProcess): Promise<OpsDoor> {
    const door = new OpsDoor(process);
    await new Promise<void>((resolve, reject) => {
      door.#server.once("error", reject);
      door.#server.listen(0, "127.0.0.1", resolve);
    });
    return door;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Kills the process: later requests are cut off. */
  async kill(): Promise<void> {
    const killed = this.#behind;
    this.#behind = undefined;
    await killed?.kill();
    // A request that arrived before the kill never gets an answer.
    this.#server.closeAllConnections();
  }

  leadTo(process: ServiceProcess): void {
    this.#behind = process;
  }

  close(): Promise<void> {
    return new Promise((resolve) => {
      this.#server.close(() => resolve());
      this.#server.closeAllConnections();
    });
  }
}
