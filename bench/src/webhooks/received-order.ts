const FAULTS_KEPT = 20;

/**
 * Compares the order of arrival with that of the events: the events of a webhook are numbered from 1 in their
 * `transaction_ref`. Each must arrive, none before its predecessor; repetitions may come at any time.
 */
export class ReceivedOrder {
  /** The number of the last event of each webhook. */
  readonly events: number[];
  repeated = 0;
  faultCount = 0;
  readonly faults: string[] = [];

  constructor(webhooks: number) {
    this.events = new Array<number>(webhooks).fill(0);
  }

  /** @returns the number of events that had not come before */
  add(webhook: number, numbers: readonly number[]): number {
    const before = this.events[webhook] ?? 0;
    let last = before;
    for (const number of numbers) {
      if (number === last + 1) last = number;
      else if (number <= last) this.repeated++;
      else this.fault(`webhook ${webhook}: ${number} came after ${last}`);
    }
    this.events[webhook] = last;
    return last - before;
  }

  fault(text: string): void {
    this.faultCount++;
    if (this.faults.length < FAULTS_KEPT) this.faults.push(text);
  }
}
