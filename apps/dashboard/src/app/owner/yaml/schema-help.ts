/** The part of JSON Schema that task definitions use. */
export interface JsonSchema {
  readonly $ref?: string;
  readonly $defs?: Readonly<Record<string, JsonSchema>>;
  readonly type?: string;
  readonly description?: string;
  readonly default?: unknown;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly additionalProperties?: boolean | JsonSchema;
  readonly propertyNames?: JsonSchema;
  readonly items?: JsonSchema;
  readonly required?: readonly string[];
  readonly anyOf?: readonly JsonSchema[];
  readonly oneOf?: readonly JsonSchema[];
  readonly allOf?: readonly JsonSchema[];
}

/** A position in YAML: the keys above it, and the key on its own line. */
export interface YamlPlace {
  readonly path: readonly string[];
  /** The key on the line, if there is one. */
  readonly key: string | undefined;
  /** True if the position is behind the colon of the key. */
  readonly isValue: boolean;
}

interface Line {
  readonly indent: number;
  readonly key: string | undefined;
  /** The column behind the colon, from 0. */
  readonly valueFrom: number;
}

/**
 * Returns the place of a position. Derives it from the indentation alone, so that it works in
 * unfinished text. A list adds no level: its items belong to the key of the list. Line and column
 * count from 0.
 */
export function placeAt(lines: readonly string[], line: number, column: number): YamlPlace {
  const here = lineOf(lines[line] ?? '');
  const isBlank = (lines[line] ?? '').trim() === '';
  let indent = isBlank ? column : here.indent;
  const path: string[] = [];
  for (let above = line - 1; above >= 0 && indent > 0; above--) {
    const { indent: its, key } = lineOf(lines[above]!);
    if (key === undefined || its >= indent) continue;
    path.unshift(key);
    indent = its;
  }
  return { path, key: here.key, isValue: here.key !== undefined && column >= here.valueFrom };
}

const KEY = /^(\s*(?:- +)*)(?:(["']?)([^\s"'#:{}[\],]+)\2\s*:)(?=\s|$)/;

function lineOf(text: string): Line {
  const found = KEY.exec(text);
  const indent = /^\s*(?:- *)*/.exec(text)![0].length;
  if (!found) return { indent, key: undefined, valueFrom: text.length };
  return { indent: found[1]!.length, key: found[3], valueFrom: found[0].length };
}

/** Returns every schema alternative at a path. Looks through lists. */
export function schemasAt(root: JsonSchema, path: readonly string[]): readonly JsonSchema[] {
  return path.reduce(
    (schemas, key) =>
      schemas.flatMap((schema) => stepInto(schema, key)).flatMap((schema) => alternatives(root, schema)),
    alternatives(root, root),
  );
}

function stepInto(schema: JsonSchema, key: string): readonly JsonSchema[] {
  const named = schema.properties?.[key];
  if (named) return [named];
  return typeof schema.additionalProperties === 'object' ? [schema.additionalProperties] : [];
}

function alternatives(root: JsonSchema, schema: JsonSchema): readonly JsonSchema[] {
  const name = schema.$ref?.replace('#/$defs/', '');
  const referred = name === undefined ? undefined : root.$defs?.[name];
  const within = [
    ...(referred ? [referred] : []),
    ...(schema.allOf ?? []),
    ...(schema.anyOf ?? []),
    ...(schema.oneOf ?? []),
  ];
  const items = schema.items ? alternatives(root, schema.items) : [];
  return [schema, ...within.flatMap((each) => alternatives(root, each)), ...items];
}

export interface HelpEntry {
  readonly label: string;
  readonly detail: string | undefined;
}

/** Returns the keys allowed at a path, with their descriptions. */
export function keysAt(root: JsonSchema, path: readonly string[]): readonly HelpEntry[] {
  const found = new Map<string, HelpEntry>();
  for (const schema of schemasAt(root, path)) {
    for (const [label, property] of Object.entries(schema.properties ?? {})) {
      if (!found.get(label)?.detail) found.set(label, { label, detail: describe(root, property) });
    }
    for (const name of namesOf(root, schema.propertyNames)) found.set(name, { label: name, detail: undefined });
  }
  return [...found.values()];
}

/** Returns the values allowed at a path, if the schema enumerates them. */
export function valuesAt(root: JsonSchema, path: readonly string[]): readonly string[] {
  const found = schemasAt(root, path).flatMap((schema) => [
    ...(schema.enum ?? []),
    ...(schema.const === undefined ? [] : [schema.const]),
    ...(schema.type === 'boolean' ? [true, false] : []),
  ]);
  return [...new Set(found.map(String))];
}

/** Returns the description of a key, with its default. */
export function helpAt(root: JsonSchema, path: readonly string[]): string | undefined {
  const key = path.at(-1);
  if (key === undefined) return undefined;
  const properties = schemasAt(root, path.slice(0, -1)).flatMap((schema) => schema.properties?.[key] ?? []);
  return properties.map((property) => describe(root, property)).find((text) => text !== undefined);
}

const namesOf = (root: JsonSchema, names: JsonSchema | undefined): readonly string[] =>
  names ? alternatives(root, names).flatMap((each) => (each.enum ?? []).map(String)) : [];

function describe(root: JsonSchema, schema: JsonSchema): string | undefined {
  const text = alternatives(root, schema).find(({ description }) => description)?.description;
  const { default: standard } = schema;
  const isPlain = standard !== undefined && standard !== '' && (typeof standard !== 'object' || standard === null);
  if (!isPlain) return text;
  const said = $localize`default: ${JSON.stringify(standard).replaceAll('"', '')}:value:`;
  return text ? `${text} (${said})` : said;
}
