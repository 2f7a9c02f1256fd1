import type { SeededRandom } from "#domain";

const EXTENSIONS = ["", "", "", ";a", ";a=b", ';a="b;c"', ";a=b;c=d", `;long=${"x".repeat(300)}`];
const TRAILERS = ["", "", "", "x-trailer: a\r\n", "x-a: 1\r\nx-b: 2\r\n"];

/** The body in chunks of any size, with extensions and trailers (RFC 9112, section 7.1). */
export function chunked(body: string, random: SeededRandom): Buffer {
  const bytes = Buffer.from(body);
  const largest = random.pick([1, 3, 64, 8192]);
  let text = "";
  for (let at = 0; at < bytes.length; ) {
    const size = Math.min(random.between(1, largest), bytes.length - at);
    const digits = size.toString(16);
    const written = random.pick([digits, digits.toUpperCase(), digits.padStart(4, "0")]);
    text += `${written}${random.pick(EXTENSIONS)}\r\n${bytes.toString("latin1", at, at + size)}\r\n`;
    at += size;
  }
  const end = random.pick(["0", "0", "000"]);
  return Buffer.from(`${text}${end}${random.pick(EXTENSIONS)}\r\n${random.pick(TRAILERS)}\r\n`, "latin1");
}
