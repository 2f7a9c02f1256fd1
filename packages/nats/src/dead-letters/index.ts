/** Dead letters as an operator handles them. Services only `bury`. */
export {
  discard,
  findDeadLetter,
  readDeadLetters,
  redrive,
  type StoredDeadLetter,
} from "./stored-dead-letters.ts";
