/**
 * Many short texts as one, so that a batch's texts cross between threads as a single string and are cut there
 * without copying: passing each separately would cost more than making it.
 */
export interface Texts {
  /** The texts one after the other. */
  readonly all: string;
  /** The end of each text in `all`. */
  readonly ends: Uint32Array;
}

export function joinTexts(texts: readonly string[]): Texts {
  const ends = new Uint32Array(texts.length);
  let all = "";
  for (let i = 0; i < texts.length; i++) {
    all += texts[i];
    ends[i] = all.length;
  }
  return { all, ends };
}

/** For texts that live no longer than the batch: a slice keeps the whole text in V8's memory. */
export function textAt(texts: Texts, index: number): string {
  return texts.all.slice(startOf(texts, index), texts.ends[index]);
}

/** For the few texts that outlive the batch. */
export function copyTextAt(texts: Texts, index: number): string {
  return Buffer.from(textAt(texts, index)).toString();
}

/**
 * Copies many texts that outlive the batch. Copies all bytes first: copying each text separately takes twice
 * as long.
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

function startOf(texts: Texts, index: number): number {
  return index === 0 ? 0 : (texts.ends[index - 1] as number);
}
