import type { TSchema } from "typebox";

/** A schema that has a name in the document, with its description. */
export interface NamedSchema {
  readonly schema: TSchema;
  readonly description: string;
}

export const named = (schema: TSchema, description: string): NamedSchema => ({ schema, description });
