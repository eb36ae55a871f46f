/** JSON Schema as the API's document has it. */
export interface DocumentedSchema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly properties?: Readonly<Record<string, DocumentedSchema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: DocumentedSchema | boolean;
  readonly propertyNames?: DocumentedSchema;
  readonly items?: DocumentedSchema;
  readonly prefixItems?: readonly DocumentedSchema[];
  readonly anyOf?: readonly DocumentedSchema[];
  readonly oneOf?: readonly DocumentedSchema[];
  readonly allOf?: readonly DocumentedSchema[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly default?: unknown;
  readonly format?: string;
  readonly pattern?: string;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: number;
}

interface Content {
  readonly content?: Readonly<Record<string, { readonly schema?: DocumentedSchema }>>;
}

interface Documented {
  readonly parameters?: readonly { readonly name: string; readonly in: string; readonly schema?: DocumentedSchema }[];
  readonly requestBody?: Content;
  readonly responses: Readonly<Record<string, Content>>;
  readonly security?: readonly object[];
}

export interface ApiDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Documented>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, DocumentedSchema>> };
}

/** One operation of the API, as its document describes it. */
export interface Operation {
  /** As in `GET /tasks/{slug}`. */
  readonly route: string;
  readonly method: string;
  /** Below `/api/v1`, with `{parameters}`. */
  readonly path: string;
  readonly queries: Readonly<Record<string, DocumentedSchema>>;
  /** `file`: bytes that are streamed. */
  readonly body: { readonly kind: 'none' | 'file' } | { readonly kind: 'json'; readonly schema: DocumentedSchema };
  readonly responses: Documented['responses'];
  /** Changes something, as far as its method says. */
  readonly changes: boolean;
}

/** Every operation of the document. */
export function operationsOf(document: ApiDocument): Operation[] {
  return Object.entries(document.paths).flatMap(([address, item]) =>
    Object.entries(item).map(([name, documented]): Operation => {
      const method = name.toUpperCase();
      const path = address.replace(/^\/api\/v1/, '');
      const queries = (documented.parameters ?? []).filter((parameter) => parameter.in === 'query');
      return {
        route: `${method} ${path}`,
        method,
        path,
        queries: Object.fromEntries(queries.map((query) => [query.name, query.schema ?? {}])),
        body: bodyOf(documented.requestBody?.content),
        responses: documented.responses,
        changes: method !== 'GET',
      };
    }),
  );
}

function bodyOf(content: Content['content']): Operation['body'] {
  if (!content) return { kind: 'none' };
  const schemas = Object.values(content).map(({ schema }) => schema);
  if (schemas.some((schema) => schema?.format === 'binary')) return { kind: 'file' };
  return { kind: 'json', schema: content['application/json']?.schema ?? {} };
}

/** The path with its holes filled. @throws Error where there is no value for one */
export const filledPath = (path: string, values: Readonly<Record<string, string>>): string =>
  path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = values[name];
    if (value === undefined) throw new Error(`${path}: what may {${name}} be?`);
    return encodeURIComponent(value);
  });

/** A short value that the schema takes, as far as a schema tells. */
export function exampleOf(schema: DocumentedSchema, document: ApiDocument): unknown {
  const known = resolved(schema, document);
  if (known.const !== undefined) return known.const;
  if (known.enum) return known.enum[0];
  const [first] = known.anyOf ?? known.oneOf ?? [];
  if (first) return exampleOf(first, document);
  switch (Array.isArray(known.type) ? known.type[0] : known.type) {
    case 'object':
      return Object.fromEntries(
        (known.required ?? []).map((name) => [name, exampleOf(known.properties?.[name] ?? {}, document)]),
      );
    case 'array':
      if (known.prefixItems) return known.prefixItems.map((item) => exampleOf(item, document));
      return Array.from({ length: known.minItems ?? 0 }, () => exampleOf(known.items ?? {}, document));
    case 'string':
      return textOf(known);
    case 'number':
    case 'integer':
      return known.minimum ?? (known.exclusiveMinimum === undefined ? 1 : known.exclusiveMinimum + 1);
    case 'boolean':
      return true;
    default:
      return null;
  }
}

/** An example that a schema takes but for one key, and where that stands. */
export interface WithUnknownKey {
  readonly value: unknown;
  readonly place: readonly string[];
}

export interface UnknownKeys {
  readonly document: ApiDocument;
  /** What no schema knows. */
  readonly key: string;
  /** By the name of a record, a key that it may have, where not all may be. */
  readonly recordKeys: Readonly<Record<string, string>>;
}

/**
 * For each object that `schema` describes, however deep, and in each form that it may have: an example with an unknown key in that object. A record
 * without named keys, or what has no schema, may have any key: only its values are looked into.
 * @param outer the schemas that it is within, by name, the innermost last
 */
export function withUnknownKeys(
  schema: DocumentedSchema,
  keys: UnknownKeys,
  outer: readonly { readonly schema: DocumentedSchema; readonly name: string }[] = [],
): WithUnknownKey[] {
  const { document, key, recordKeys } = keys;
  const known = resolved(schema, document);
  // one that holds itself has no end
  if (outer.some((each) => each.schema === known)) return [];
  const example = exampleOf(known, document);
  const within = (inner: DocumentedSchema, name: string): WithUnknownKey[] =>
    withUnknownKeys(inner, keys, [...outer, { schema: known, name }]).map(({ value, place }) => ({
      value: Array.isArray(example)
        ? Object.assign([...(example as unknown[])], { [name]: value })
        : { ...(example as object), [name]: value },
      place: [name, ...place],
    }));

  const { properties, additionalProperties: values } = known;
  const recordKey = recordKeys[outer.at(-1)?.name ?? ''] ?? 'some';
  return [
    ...(properties ? [{ value: { ...(example as object), [key]: 1 }, place: [key] }] : []),
    ...Object.entries(properties ?? {}).flatMap(([name, inner]) => within(inner, name)),
    ...(typeof values === 'object' ? within(values, recordKey) : []),
    ...(known.prefixItems ?? (known.items ? [known.items] : [])).flatMap((item, index) => within(item, String(index))),
    ...(known.anyOf ?? known.oneOf ?? []).flatMap((form) => withUnknownKeys(form, keys, outer)),
  ];
}

/** The schema itself, where others only refer to it. */
export function resolved(schema: DocumentedSchema, document: ApiDocument): DocumentedSchema {
  const [only] = schema.allOf ?? [];
  if (only && schema.allOf!.length === 1) return resolved(only, document);
  if (schema.$ref === undefined) return schema;
  const name = schema.$ref.split('/').at(-1)!;
  const found = document.components.schemas[name];
  if (!found) throw new Error(`there is no schema ${name}`);
  return resolved(found, document);
}

const FORMATS: Readonly<Record<string, string>> = {
  email: 'somebody@example.org',
  'date-time': '2099-01-01T00:00:00Z',
  uri: 'https://example.org/',
  uuid: '00000000-0000-7000-8000-000000000000',
};

function textOf({ format, minLength = 0 }: DocumentedSchema): string {
  return (FORMATS[format ?? ''] ?? 'some-text').padEnd(minLength, 'x');
}
