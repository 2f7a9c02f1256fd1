import type { ServerParts } from "./traffic.ts";

/** It holds no memory, so one object serves every request without a body. */
export const EMPTY_BODY = new Uint8Array(0);

/** The first size of a chunked body's block, which then doubles … */
const FIRST_CAPACITY_BYTES = 16 * 1024;
/** … and of one with a length, unless that is less: most bodies need no other block. */
const FIRST_DECLARED_BYTES = 256 * 1024;

/** Represents all senders of requests that are not admitted yet: together they have one share. */
const UNKNOWN_SENDER = "";

/**
 * A body that comes in pieces. Every piece is copied: uWebSockets.js takes its memory back after the
 * callback, and node:http hands out views of one read buffer, which a later transfer to a worker would
 * detach. The copies lie in one block and not in a list, because a chunked body may come byte by byte, and
 * each entry of a list takes a hundred bytes.
 */
export class ArrivingBody {
  readonly #shared: Pick<ServerParts, "bodies" | "limits">;
  readonly #declaredLength: number | undefined;
  #sender = UNKNOWN_SENDER;
  #block: Uint8Array = EMPTY_BODY;
  #length = 0;

  /** @param declaredLength must not exceed the body limit; undefined if the body is chunked */
  constructor(shared: Pick<ServerParts, "bodies" | "limits">, declaredLength: number | undefined) {
    this.#shared = shared;
    this.#declaredLength = declaredLength;
  }

  /**
   * Counts it for this sender from now on; false, with nothing changed, if the sender's share is too small.
   */
  sentBy(sender: string): boolean {
    if (this.#length > 0 && !this.#shared.bodies.move(this.#sender, sender, this.#length)) return false;
    this.#sender = sender;
    return true;
  }

  /** Adds a copy of `piece`, or returns the bound that it would break; then drop the body. */
  append(piece: Uint8Array): "kept" | "too large" | "no room" {
    const length = this.#length + piece.byteLength;
    if (length > this.#shared.limits.bodyBytes) return "too large";
    if (!this.#shared.bodies.take(this.#sender, piece.byteLength)) return "no room";
    if (length > this.#block.byteLength) this.#grow(length);
    this.#block.set(piece, this.#length);
    this.#length = length;
    return "kept";
  }

  get length(): number {
    return this.#length;
  }

  /** Returns the whole body, which no longer counts as arriving. */
  take(): Uint8Array {
    const body = this.#length === this.#block.byteLength ? this.#block : this.#block.slice(0, this.#length);
    this.drop();
    return body;
  }

  /** Gives its bytes back to the budget. */
  drop(): void {
    this.#shared.bodies.release(this.#sender, this.#length);
    this.#length = 0;
    this.#block = EMPTY_BODY;
  }

  /**
   * The block grows with what has come, up to the declared length. A block of 8 MiB from the first byte on would
   * cost a caller nothing, and this process a garbage collection: V8 collects after every 64 MiB of blocks.
   */
  #grow(length: number): void {
    const declared = this.#declaredLength;
    const first = declared === undefined ? FIRST_CAPACITY_BYTES : FIRST_DECLARED_BYTES;
    const doubled = Math.max(length, first, this.#block.byteLength * 2);
    const grown = new Uint8Array(Math.min(doubled, declared ?? doubled));
    grown.set(this.#block);
    this.#block = grown;
  }
}
