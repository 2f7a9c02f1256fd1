/** Pieces one after the other, such as tuples. */
export interface Packed {
  readonly bytes: Uint8Array;
  /** The end of each piece in `bytes`. */
  readonly ends: Uint32Array;
}

/** The bytes of the pieces from `first` to `last`, both included, without copying. */
export function piecesAt({ bytes, ends }: Packed, first: number, last: number): Uint8Array {
  return bytes.subarray(first === 0 ? 0 : ends[first - 1], ends[last]);
}

const ANY = { count: Number.POSITIVE_INFINITY, bytes: Number.POSITIVE_INFINITY };

/** Adjacent pieces. */
export interface Run {
  readonly piece: Uint8Array;
  /** The number of pieces. */
  readonly count: number;
}

/**
 * The pieces at these places, adjacent ones as one: many pieces make few runs, and nothing is copied.
 * @param indexes in any order; only consecutive ones make one run
 * @param most the most bytes of one run
 */
export function takeRuns(
  packed: Packed,
  indexes: readonly number[],
  most: { readonly count: number; readonly bytes: number } = ANY,
): Run[] {
  const runs: Run[] = [];
  for (let i = 0; i < indexes.length; ) {
    const first = indexes[i++] as number;
    const start = first === 0 ? 0 : (packed.ends[first - 1] as number);
    let last = first;
    while (
      indexes[i] === last + 1 &&
      last - first + 1 < most.count &&
      (packed.ends[last + 1] as number) - start <= most.bytes
    ) {
      last++;
      i++;
    }
    runs.push({ piece: piecesAt(packed, first, last), count: last - first + 1 });
  }
  return runs;
}
