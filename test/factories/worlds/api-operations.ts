/** A JSON Schema as used in the OpenAPI document. */
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

/** An operation of the API, as described by the OpenAPI document. */
export interface Operation {
  /** The method and path: `GET /tasks/{slug}`. */
  readonly route: string;
  readonly method: string;
  /** The path below `/api/v1`, with `{parameters}`. */
  readonly path: string;
  readonly queries: Readonly<Record<string, DocumentedSchema>>;
  /** `file`: a binary body that is streamed. */
  readonly body: { readonly kind: 'none' | 'file' } | { readonly kind: 'json'; readonly schema: DocumentedSchema };
  readonly responses: Documented['responses'];
  /** True for every method other than GET. */
  readonly changes: boolean;
}

/** Returns every operation of the document. */
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

/**
 * Replaces the parameters of a path by their values.
 * @throws Error if a parameter has no value.
 */
export const filledPath = (path: string, values: Readonly<Record<string, string>>): string =>
  path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = values[name];
    if (value === undefined) throw new Error(`${path}: what may {${name}} be?`);
    return encodeURIComponent(value);
  });

/** Returns a short value that satisfies the schema. Ignores patterns and upper bounds. */
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

/** A value that satisfies a schema except for one unknown key, and the path of that key. */
export interface WithUnknownKey {
  readonly value: unknown;
  readonly place: readonly string[];
}

export interface UnknownKeys {
  readonly document: ApiDocument;
  /** A key that no schema defines. */
  readonly key: string;
  /** For records that restrict their keys: a permitted key, by the name of the record. */
  readonly recordKeys: Readonly<Record<string, string>>;
}

/**
 * Returns an example with an unknown key for each object that `schema` describes, at any depth and
 * in each variant. Records without named properties, and values without a schema, accept any key;
 * only their values are searched.
 * @param outer The enclosing schemas with their names, the innermost last.
 */
export function withUnknownKeys(
  schema: DocumentedSchema,
  keys: UnknownKeys,
  outer: readonly { readonly schema: DocumentedSchema; readonly name: string }[] = [],
): WithUnknownKey[] {
  const { document, key, recordKeys } = keys;
  const known = resolved(schema, document);
  // a recursive schema has no end
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

/**
 * Resolves a reference, also one wrapped in a single `allOf`.
 * @throws Error if the document has no such schema.
 */
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
