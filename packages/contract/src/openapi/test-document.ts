import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import { FORMATS } from "../formats.ts";
import type { ApiDescription } from "./api-description.ts";
import { type OpenApiDocument, openApiDocument } from "./document.ts";

export interface Operation {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly parameters?: ReadonlyArray<{ readonly $ref: string }>;
  readonly responses: Readonly<Record<string, { readonly $ref?: string; readonly description?: string }>>;
}

/** For tests: the document of an API, with validators for its schemas. */
export class TestDocument {
  readonly document: OpenApiDocument;
  readonly text: string;
  readonly #prefix: string;
  readonly #ajv: Ajv2020;

  constructor(api: ApiDescription) {
    this.document = openApiDocument(api);
    this.text = JSON.stringify(this.document);
    this.#prefix = api.prefix;
    this.#ajv = new Ajv2020({
      strict: true,
      strictTypes: false,
      strictRequired: false,
      allowUnionTypes: true,
    });
    for (const [name, format] of Object.entries(FORMATS)) this.#ajv.addFormat(name, format.test);
    this.#ajv.addFormat("date-time", FORMATS.timestamp.test);
    this.#ajv.addVocabulary([
      "openapi",
      "info",
      "servers",
      "security",
      "tags",
      "paths",
      "webhooks",
      "components",
    ]);
    this.#ajv.addSchema(this.document, "document");
  }

  operationOf(route: string): Operation {
    return this.document.paths[this.#prefix + route]?.post as Operation;
  }

  /** The validator of the schema at a JSON pointer. */
  compile(pointer: string): ValidateFunction {
    return this.#ajv.compile({ $ref: `document#${pointer}` });
  }

  requestValidator(route: string): ValidateFunction {
    const path = (this.#prefix + route).replaceAll("~", "~0").replaceAll("/", "~1");
    return this.compile(`/paths/${path}/post/requestBody/content/application~1json/schema`);
  }
}
