import t from "tap";
import { type Packed, piecesAt, takeRuns } from "./packed.ts";

const packed = (...pieces: readonly string[]): Packed => {
  let end = 0;
  return {
    bytes: Buffer.from(pieces.join("")),
    ends: Uint32Array.from(pieces, ({ length }) => {
      end += length;
      return end;
    }),
  };
};
const runsOf = (...taken: Parameters<typeof takeRuns>) =>
  takeRuns(...taken).map(({ piece, count }) => [Buffer.from(piece).toString(), count]);

t.test("pieces - neighbours are taken together, in the order given, and nothing is copied", async (t) => {
  const pieces = packed("a", "bb", "", "d", "eee");
  t.strictSame(runsOf(pieces, [0, 1, 3, 4]), [
    ["abb", 2],
    ["deee", 2],
  ]);
  t.strictSame(runsOf(pieces, [4, 3, 0, 1, 2]), [
    ["eee", 1],
    ["d", 1],
    ["abb", 3],
  ]);
  t.strictSame(runsOf(pieces, []), []);
  t.equal(takeRuns(pieces, [1])[0]?.piece.buffer, pieces.bytes.buffer);
  t.equal(Buffer.from(piecesAt(pieces, 1, 3)).toString(), "bbd");
});

t.test("pieces - a run is not longer than allowed, unless a single piece is", async (t) => {
  const pieces = packed("a", "b", "c", "long", "e");
  const all = [0, 1, 2, 3, 4];
  t.strictSame(runsOf(pieces, all, { count: 2, bytes: 100 }), [
    ["ab", 2],
    ["clong", 2],
    ["e", 1],
  ]);
  t.strictSame(runsOf(pieces, all, { count: 100, bytes: 3 }), [
    ["abc", 3],
    ["long", 1],
    ["e", 1],
  ]);
});
