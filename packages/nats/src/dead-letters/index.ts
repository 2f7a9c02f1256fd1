/** The operator's view of dead letters. Services only `bury`. */
export { changeLetters, type LetterChange } from "./change-letters.ts";
export { type LetterGroup, LetterGroups } from "./group-letters.ts";
export { type LetterFilter, matches } from "./letter-filter.ts";
export { decodeLetter, describeLetter } from "./show-letter.ts";
export { findDeadLetter, readDeadLetters, redrive, type StoredDeadLetter } from "./stored-dead-letters.ts";
