/**
 * Many short texts as one, so that a batch's texts cross between threads as a single string and are cut there
 * without copying: passing each by itself would cost more than making it.
 */
export interface Texts {
  /** The texts one after the other, each followed by `SEPARATOR`. */
  readonly all: string;
  /** Where each text ends in `all`, before its separator. */
  readonly ends: Uint32Array;
}

/** The same as between elements of a JSON array, so that neighbours can be taken together. */
const SEPARATOR = ",";

export function joinTexts(texts: readonly string[]): Texts {
  const ends = new Uint32Array(texts.length);
  let all = "";
  for (let i = 0; i < texts.length; i++) {
    all += texts[i];
    ends[i] = all.length;
    all += SEPARATOR;
  }
  return { all, ends };
}

/** For what lives no longer than the batch: V8 keeps all of a text in memory for a piece of it. */
export function textAt(texts: Texts, index: number): string {
  return texts.all.slice(startOf(texts, index), texts.ends[index]);
}

/** For what outlives the batch, of which there is little. */
export function copyTextAt(texts: Texts, index: number): string {
  return Buffer.from(textAt(texts, index)).toString();
}

/**
 * Copies many texts, for what outlives the batch. All bytes are copied first: a copy of each text by itself takes
 * twice as long.
 * @returns undefined for a text that is not ASCII
 */
export function copyAsciiAt(texts: Texts): (index: number) => string | undefined {
  const bytes = Buffer.from(texts.all, "latin1");
  const isAllAscii = Buffer.byteLength(texts.all) === bytes.length;
  return (index) => {
    if (!isAllAscii && !isAscii(textAt(texts, index))) return undefined;
    return bytes.toString("latin1", startOf(texts, index), texts.ends[index]);
  };
}

export function isAscii(text: string): boolean {
  for (let i = 0; i < text.length; i++) if (text.charCodeAt(i) > 127) return false;
  return true;
}

/** Neighbouring texts, with their separator between them. */
export interface Run {
  readonly text: string;
  /** How many texts. */
  readonly count: number;
}

/**
 * Neighbours are taken together up to this many UTF-16 units: short enough to go into a message as a whole.
 */
const RUN_UNITS = 16 * 1024;

/**
 * The texts at these places. Neighbours are taken as one piece, so that many texts make few pieces.
 * @param indexes in any order; only those that follow each other make one piece
 */
export function takeRuns(texts: Texts, indexes: readonly number[]): Run[] {
  const runs: Run[] = [];
  for (let i = 0; i < indexes.length; ) {
    const first = indexes[i++] as number;
    const start = startOf(texts, first);
    let last = first;
    while (indexes[i] === last + 1 && (texts.ends[last + 1] as number) - start <= RUN_UNITS) {
      last++;
      i++;
    }
    runs.push({ text: texts.all.slice(start, texts.ends[last]), count: last - first + 1 });
  }
  return runs;
}

function startOf(texts: Texts, index: number): number {
  return index === 0 ? 0 : (texts.ends[index - 1] as number) + SEPARATOR.length;
}
