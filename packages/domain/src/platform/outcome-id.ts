import { nameUuid } from "../name-uuid.ts";

/** What an outcome is for: a member's stamp in a program, or a clip. */
export type OutcomeTarget =
  | { readonly type: "program"; readonly programId: string }
  | { readonly type: "clip"; readonly clipId: string };

/**
 * The id of the one outcome that a transaction can have for a program or a clip (contract, section 8).
 * However often either half is sent again, the outcome has the same id and is recognised. Every caller must
 * spell the ids in the same way.
 */
export function outcomeId(transactionId: string, target: OutcomeTarget): string {
  const id = target.type === "program" ? target.programId : target.clipId;
  return nameUuid(`outcome:${transactionId}:${target.type}:${id}`);
}
