import type { WebhookEvent } from "#client";
import { printable } from "../listen/print-event.ts";
import type { Terminal } from "../terminal.ts";

/** A line for each step and each event, at once; with `json` for programs. */
export class TimeLine {
  readonly #terminal: Terminal;
  readonly #json: boolean;
  /** `at`: when the request was sent, in milliseconds of `performance.now()`. */
  readonly #steps: { readonly name: string; readonly at: number }[] = [];

  constructor(terminal: Terminal, json: boolean) {
    this.#terminal = terminal;
    this.#json = json;
  }

  /** A step begins now. Call `done` with its result. */
  step(name: string, purchase: string): { done(result: string): void } {
    const at = performance.now();
    this.#steps.push({ name, at });
    return {
      done: (result) => {
        const answerMs = tenth(performance.now() - at);
        if (this.#json) {
          const times = { at_ms: this.#since(at), answer_ms: answerMs };
          this.#print({ kind: "step", step: name, purchase, ...times, result });
        } else {
          this.#say(at, name, `${result}, answered in ${answerMs} ms`);
        }
      },
    };
  }

  /** An event came now; the line says how long after each step. */
  event(event: WebhookEvent): void {
    const at = performance.now();
    const { event_id, type, timestamp, ...fields } = event;
    if (this.#json) {
      const since = this.#steps.map(({ name, at: begun }) => ({ step: name, ms: tenth(at - begun) }));
      this.#print({ kind: "event", at_ms: this.#since(at), since, event });
      return;
    }
    const after = this.#steps.map(({ name, at: begun }) => `${tenth(at - begun)} ms after ${name}`).reverse();
    this.#say(at, type, `${after.join(", ")}  ${printable(JSON.stringify(fields))}`);
  }

  end(result: {
    readonly ok: boolean;
    readonly missing: readonly string[];
    readonly told: readonly string[];
  }): void {
    if (this.#json) this.#print({ kind: "end", ...result });
    else for (const line of result.told) this.#terminal.out(line);
  }

  #say(at: number, what: string, text: string): void {
    this.#terminal.out(`${this.#since(at).toFixed(1).padStart(9)} ms  ${what.padEnd(10)}  ${text}`);
  }

  #print(line: object): void {
    this.#terminal.out(printable(JSON.stringify(line)));
  }

  /** Since the first step. */
  #since(at: number): number {
    return tenth(at - (this.#steps[0]?.at ?? at));
  }
}

function tenth(ms: number): number {
  return Math.round(ms * 10) / 10;
}
