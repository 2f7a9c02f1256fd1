/** Maestro may have any length that ISO/IEC 7812 allows. */
const MAESTRO = [12, 13, 14, 15, 16, 17, 18, 19];

/**
 * Card numbers must not enter (contract, section 6): free text fields are searched for a number with an
 * issuer's prefix, that issuer's length, and a valid Luhn digit, whatever separators stand in it. The scan
 * joins groups of digits that stand next to each other ("4111 1111-1111.1111") and tries every run of whole
 * groups, so that a reference number before the card number does not hide it. Digits of any script count like
 * ASCII digits.
 */
interface Issuer {
  readonly from: string;
  readonly to: string;
  readonly lengths: readonly number[];
}

const ISSUERS: readonly Issuer[] = [
  { from: "4", to: "4", lengths: [13, 16, 19] }, // Visa
  { from: "51", to: "55", lengths: [16] }, // Mastercard
  { from: "2221", to: "2720", lengths: [16] }, // Mastercard, since 2017
  { from: "34", to: "34", lengths: [15] }, // American Express
  { from: "37", to: "37", lengths: [15] }, // American Express
  { from: "300", to: "305", lengths: [14, 15, 16, 17, 18, 19] }, // Diners Club
  { from: "3095", to: "3095", lengths: [14, 15, 16, 17, 18, 19] }, // Diners Club
  { from: "36", to: "36", lengths: [14, 15, 16, 17, 18, 19] }, // Diners Club
  { from: "38", to: "39", lengths: [14, 15, 16, 17, 18, 19] }, // Diners Club
  { from: "3528", to: "3589", lengths: [16, 17, 18, 19] }, // JCB
  { from: "6011", to: "6011", lengths: [16, 17, 18, 19] }, // Discover
  { from: "644", to: "659", lengths: [16, 17, 18, 19] }, // Discover
  { from: "62", to: "62", lengths: [16, 17, 18, 19] }, // UnionPay
  { from: "81", to: "82", lengths: [16, 17, 18, 19] }, // UnionPay, RuPay
  { from: "5018", to: "5018", lengths: MAESTRO }, // Maestro
  { from: "5019", to: "5019", lengths: [16] }, // Dankort
  { from: "5020", to: "5020", lengths: MAESTRO }, // Maestro
  { from: "5038", to: "5038", lengths: MAESTRO }, // Maestro
  { from: "506099", to: "506198", lengths: [16, 18, 19] }, // Verve; its 650002 to 650027 lie within Discover
  { from: "507865", to: "507964", lengths: [16, 18, 19] }, // Verve
  { from: "56", to: "58", lengths: MAESTRO }, // Maestro
  { from: "6304", to: "6304", lengths: MAESTRO }, // Maestro
  { from: "6759", to: "6763", lengths: MAESTRO }, // Maestro
  { from: "2200", to: "2204", lengths: [16, 17, 18, 19] }, // Mir
  { from: "508", to: "508", lengths: [16] }, // RuPay
  { from: "60", to: "60", lengths: [16] }, // RuPay
  { from: "9792", to: "9792", lengths: [16] }, // Troy
];

const SHORTEST = 12;
const LONGEST = 19;
/**
 * By first digit, then by length. A text may hold hundreds of runs, and checking all issuers for each of them
 * takes longer than all other work on an event.
 */
const ISSUERS_OF = Array.from({ length: 10 }, (_, digit) =>
  Array.from({ length: LONGEST + 1 }, (_, length) =>
    ISSUERS.filter(
      ({ from, to, lengths }) =>
        Number(from[0]) <= digit && digit <= Number(to[0]) && lengths.includes(length),
    ),
  ),
);
const IS_FIRST_DIGIT = ISSUERS_OF.map((byLength) => byLength.some((issuers) => issuers.length > 0));
/** Groups of digits with at most three characters between them that are neither letters nor digits. */
const CHAIN = /\d+(?:[^\p{L}\p{N}]{1,3}\d+)*/gu;

/** Whether `text` holds a card number. */
export function holdsCardNumber(text: string): boolean {
  const digits = countDigits(text);
  const plain = digits === undefined ? withPlainDigits(text) : text;
  // Nearly every text of an event ends here.
  if (digits !== undefined && digits < SHORTEST) return false;
  for (const [chain] of plain.matchAll(CHAIN)) {
    if (chain.length >= SHORTEST && chainHoldsCardNumber(chain.match(/\d+/g) ?? [])) return true;
  }
  return false;
}

/** Undefined if there are characters beyond ASCII, which may be digits. */
function countDigits(text: string): number | undefined {
  let digits = 0;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code > 127) return undefined;
    if (code >= 48 && code <= 57) digits++;
  }
  return digits;
}

function chainHoldsCardNumber(groups: readonly string[]): boolean {
  for (let first = 0; first < groups.length; first++) {
    if (!IS_FIRST_DIGIT[firstDigit(groups[first] as string)]) continue;
    let digits = "";
    for (let last = first; last < groups.length; last++) {
      digits += groups[last];
      if (digits.length > LONGEST) break;
      if (digits.length >= SHORTEST && isCardNumber(digits)) return true;
    }
  }
  return false;
}

function isCardNumber(digits: string): boolean {
  const issuers = ISSUERS_OF[firstDigit(digits)]?.[digits.length] ?? [];
  return (
    issuers.some(
      ({ from, to }) => digits.slice(0, from.length) >= from && digits.slice(0, to.length) <= to,
    ) && passesLuhn(digits)
  );
}

function firstDigit(digits: string): number {
  return digits.charCodeAt(0) - 48;
}

function passesLuhn(digits: string): boolean {
  let sum = 0;
  for (let i = 0; i < digits.length; i++) {
    const digit = digits.charCodeAt(digits.length - 1 - i) - 48;
    const doubled = digit * 2;
    sum += i % 2 === 0 ? digit : doubled > 9 ? doubled - 9 : doubled;
  }
  return sum % 10 === 0;
}

/**
 * Turns full-width, raised, circled and mathematical digits (which NFKC knows), and those of other scripts,
 * into ASCII digits.
 */
function withPlainDigits(text: string): string {
  return text.normalize("NFKC").replace(/(?!\d)\p{Nd}/gu, (digit) => String(digitOf(digit)));
}

/**
 * The decimal digits of a script are unbroken runs from zero to nine (Unicode, section 4.6). Some runs follow
 * each other directly, hence the remainder.
 */
function digitOf(digit: string): number {
  const codePoint = digit.codePointAt(0) as number;
  let zero = codePoint;
  while (/\p{Nd}/u.test(String.fromCodePoint(zero - 1))) zero -= 1;
  return (codePoint - zero) % 10;
}
