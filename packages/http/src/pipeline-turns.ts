/** How long requests that came in pipelines are begun in one turn of the event loop. */
const TURN_MS = 5;

/** A connection on which requests wait for those before them. */
interface Pipelined {
  beginNext(): void;
}

/**
 * Begins the requests that came in pipelines, one of each connection after the other, and only for a while in each turn of the
 * event loop. So however many connections send without waiting, a caller who sends one request at a time waits for one such turn.
 */
export class PipelineTurns {
  readonly #connections: Pipelined[] = [];
  #isDue = false;

  add(connection: Pipelined): void {
    this.#connections.push(connection);
    this.#schedule();
  }

  #schedule(): void {
    if (this.#isDue) return;
    this.#isDue = true;
    setImmediate(() => {
      this.#isDue = false;
      const until = performance.now() + TURN_MS;
      // Not those that are added meanwhile.
      for (let left = this.#connections.length; left > 0; left--) {
        this.#connections.shift()?.beginNext();
        if (performance.now() > until) break;
      }
      if (this.#connections.length > 0) this.#schedule();
    });
  }
}
