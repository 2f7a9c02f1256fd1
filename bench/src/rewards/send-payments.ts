import { Pool } from "undici";

/** A request of `payment/ingest`, ready to be sent. */
export interface PaymentRequest {
  readonly token: string;
  readonly body: string;
  readonly payments: number;
}

const PATH = "/platform.v1/payment/ingest";
const AT_ONCE = 2;

/** Sends requests from two connections, each of which sends its next when it has its answer. */
export class PaymentSender {
  readonly #pool: Pool;

  constructor(url: string) {
    this.#pool = new Pool(url, { connections: AT_ONCE, pipelining: 1 });
  }

  /**
   * @param whenDue resolves when a request may leave; false: it is not wanted any more, nor are those after it
   * @returns the milliseconds that each answer took
   * @throws Error unless all are answered 200 with all of their payments
   */
  async sendAll(
    requests: readonly PaymentRequest[],
    whenDue: (at: number) => Promise<boolean> = async () => true,
  ): Promise<number[]> {
    const spent: number[] = [];
    let next = 0;
    const lane = async (): Promise<void> => {
      for (let at = next++; at < requests.length; at = next++) {
        if (!(await whenDue(at))) return;
        const startedMs = performance.now();
        await this.#send(requests[at] as PaymentRequest);
        spent.push(performance.now() - startedMs);
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, lane));
    return spent;
  }

  close(): Promise<void> {
    return this.#pool.close();
  }

  async #send({ token, body, payments }: PaymentRequest): Promise<void> {
    const answer = await this.#pool.request({
      path: PATH,
      method: "POST",
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      body,
    });
    const text = await answer.body.text();
    if (answer.statusCode !== 200) throw new Error(`payments: ${answer.statusCode} ${text.slice(0, 300)}`);
    const { accepted } = JSON.parse(text) as { accepted: number };
    if (accepted !== payments) throw new Error(`${accepted} of ${payments} payments were accepted`);
  }
}
