import { createWriteStream, type WriteStream } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { type ForkedService, forkService, guard } from "#embedded";
import { type ServiceName, type TcpProxy, TEST_NODE_FLAGS } from "#test-support";

const ROOT = new URL("../../", import.meta.url);
/** The pause after an end that the soak did not cause: an orchestrator's first pause. */
const RESTART_MS = 1_000;
const READY_QUESTION_MS = 5_000;

export interface SlotOptions {
  readonly service: ServiceName;
  /** Such as `ingest-1`. */
  readonly name: string;
  readonly env: NodeJS.ProcessEnv;
  readonly logFile: string;
  readonly proxies: { readonly postgres: TcpProxy; readonly nats: TcpProxy };
}

/** An end of a process that the soak did not ask for. */
export interface UnaskedEnd {
  readonly name: string;
  readonly at: number;
  readonly code: number | null;
  readonly lastLine: string;
}

/** A place for one process of a service: whenever it ends, for any reason, another is started in it. */
export class ServiceSlot {
  readonly options: SlotOptions;
  readonly unasked: UnaskedEnd[] = [];
  /** The address of the last process that was ready, if the service listens. */
  url: string | undefined;
  #forked: ForkedService | undefined;
  #isReady = false;
  #isStopping = false;
  #killedAwayMs: number | undefined;
  #running: Promise<void> = Promise.resolve();
  #lastLine = "";
  readonly #log: WriteStream;

  constructor(options: SlotOptions) {
    this.options = options;
    this.#log = createWriteStream(options.logFile, { flags: "a" });
  }

  get name(): string {
    return this.options.name;
  }

  /** The address of a process that has said that it is ready. */
  get pid(): number | undefined {
    return this.#isReady ? this.#forked?.child.pid : undefined;
  }

  get isUp(): boolean {
    return this.#isReady;
  }

  start(): void {
    this.#running = this.#keepRunning();
  }

  /** SIGKILL; another is started after `awayMs`. @returns whether there was a process */
  kill(awayMs: number): boolean {
    const child = this.#forked?.child;
    if (child?.pid === undefined || this.#isStopping) return false;
    this.#killedAwayMs = awayMs;
    return child.kill("SIGKILL");
  }

  /** Whether the process itself says that it can work. */
  async isReady(): Promise<boolean> {
    if (!this.#isReady) return false;
    const answer = await this.#forked?.ask("/readyz", { withinMs: READY_QUESTION_MS }).catch(() => undefined);
    return answer?.status === 200;
  }

  /** SIGTERM, and SIGKILL if that is not enough. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    const child = this.#forked?.child;
    child?.kill("SIGCONT");
    child?.kill("SIGTERM");
    const timer = setTimeout(() => child?.kill("SIGKILL"), 15_000);
    await this.#running;
    clearTimeout(timer);
    this.#log.end();
  }

  async #keepRunning(): Promise<void> {
    while (!this.#isStopping) {
      const code = await this.#runOnce();
      if (this.#isStopping) return;
      const awayMs = this.#killedAwayMs;
      this.#killedAwayMs = undefined;
      if (awayMs === undefined) {
        this.unasked.push({ name: this.name, at: Date.now(), code, lastLine: this.#lastLine });
      }
      await delay(awayMs ?? RESTART_MS);
    }
  }

  async #runOnce(): Promise<number | null> {
    const forked = forkService(new URL(`services/${this.options.service}/src/main.js`, ROOT), {
      env: { PATH: process.env.PATH, ...this.options.env },
      execArgv: [...TEST_NODE_FLAGS],
      stdio: ["ignore", "pipe", "pipe", "ipc"],
    });
    const { child, exited, ready } = forked;
    this.#forked = forked;
    this.#log.write(`--- process ${child.pid}, ${new Date().toISOString()}\n`);
    const release = child.pid === undefined ? () => {} : guard("service", child.pid);
    for (const stream of [child.stdout, child.stderr]) {
      stream?.setEncoding("utf8").on("data", (text: string) => {
        this.#log.write(text);
        const line = text.trimEnd().split("\n").at(-1) ?? "";
        if (line !== "") this.#lastLine = line.slice(-1_000);
      });
    }
    void ready.then((said) => {
      if (said === undefined) return;
      this.url = said.url;
      this.#isReady = true;
    });
    const { code } = await exited;
    this.#isReady = false;
    release();
    return code;
  }
}
