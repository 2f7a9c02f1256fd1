import { clientAddress, type TrustedProxies } from "#domain";
import type { HttpLimits } from "./server.ts";

type ConnectionLimits = Pick<HttpLimits, "connections" | "connectionsPerAddress" | "connectionsRefused">;

/** The decision about a connection. */
interface ConnectionVerdict {
  readonly isOpen: boolean;
  /** Whether a refused connection gets a reason. */
  readonly isTold: boolean;
  /** Call it once, after the connection is closed. */
  readonly leave: () => void;
}

/**
 * The open connections of one server, in total and by address. Each holds a file descriptor and some
 * kilobytes, without a token. A proxy's connections belong to many callers, and count only in the total.
 */
export class ConnectionCount {
  readonly #limits: ConnectionLimits;
  readonly #proxies: TrustedProxies;
  readonly #byAddress = new Map<string, number>();
  #open = 0;
  #refused = 0;

  constructor(limits: ConnectionLimits, proxies: TrustedProxies = []) {
    this.#limits = limits;
    this.#proxies = proxies;
  }

  /** @param peer the connection's remote address, in the operating system's form */
  enter(peer: string): ConnectionVerdict {
    const address = clientAddress(peer, undefined, this.#proxies);
    const own = address === undefined ? 0 : (this.#byAddress.get(address) ?? 0);
    const { connections, connectionsPerAddress, connectionsRefused } = this.#limits;
    if (this.#open >= connections || own >= connectionsPerAddress) {
      const isTold = this.#refused < connectionsRefused;
      this.#refused += 1;
      return {
        isOpen: false,
        isTold,
        leave: () => {
          this.#refused -= 1;
        },
      };
    }
    this.#open += 1;
    if (address !== undefined) this.#byAddress.set(address, own + 1);
    return { isOpen: true, isTold: false, leave: () => this.#leave(address) };
  }

  #leave(address: string | undefined): void {
    this.#open -= 1;
    if (address === undefined) return;
    const left = (this.#byAddress.get(address) ?? 0) - 1;
    if (left > 0) this.#byAddress.set(address, left);
    else this.#byAddress.delete(address);
  }
}
