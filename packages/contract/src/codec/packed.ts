/** Pieces one after the other, such as tuples. */
export interface Packed {
  readonly bytes: Uint8Array;
  /** Where each piece ends in `bytes`. */
  readonly ends: Uint32Array;
}

/** The bytes of the pieces from `first` to `last`, both included, without copying. */
export function piecesAt({ bytes, ends }: Packed, first: number, last: number): Uint8Array {
  return bytes.subarray(first === 0 ? 0 : ends[first - 1], ends[last]);
}

const ANY = { count: Number.POSITIVE_INFINITY, bytes: Number.POSITIVE_INFINITY };

/** Pieces that are neighbours. */
export interface Run {
  readonly piece: Uint8Array;
  /** How many. */
  readonly count: number;
}

/**
 * The pieces at these places, neighbours as one: many pieces make few runs, and nothing is copied.
 * @param indexes in any order; only those that follow each other make one run
 * @param most of one run
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
