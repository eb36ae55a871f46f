import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { withSummaries } from './openapi-summaries.js';

interface Schema {
  readonly description?: string;
  readonly $ref?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly additionalProperties?: Schema | boolean;
  readonly anyOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
}

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, { readonly summary?: string }>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

const document = JSON.parse(readFileSync(new URL('../openapi.json', import.meta.url), 'utf8')) as Document;

/** What readers of boards, comparisons and models get to see. */
const SHOWN = [
  'Leaderboard',
  'Comparison',
  'ComparisonMatrix',
  'AnsweredExamples',
  'ComparedExamples',
  'Confusion',
  'History',
  'BenchmarkVersionList',
  'CollectionNumbers',
  'Overview',
  'Saturation',
  'Trend',
  'Model',
  'Loop',
  'BenchmarkVersion',
  'TaskChangePreview',
  'LoopPreview',
  'DatasetCheck',
  'ModelAnswer',
  'SignedResult',
];

/** The schemas that `names` are made of, themselves among them. */
function reachable(names: readonly string[]): ReadonlySet<string> {
  const found = new Set(names);
  for (const name of found) {
    for (const [, other] of JSON.stringify(document.components.schemas[name]).matchAll(
      /#\/components\/schemas\/(\w+)/g,
    )) {
      found.add(other!);
    }
  }
  return found;
}

function bareProperties(schema: Schema, path: string): string[] {
  const own = Object.entries(schema.properties ?? {}).flatMap(([name, property]) => [
    ...(property.description ? [] : [`${path}.${name}`]),
    ...bareProperties(property, `${path}.${name}`),
  ]);
  const { items, additionalProperties, anyOf = [], allOf = [] } = schema;
  const parts = [
    items,
    typeof additionalProperties === 'object' ? additionalProperties : undefined,
    ...anyOf,
    ...allOf,
  ];
  return [...own, ...parts.flatMap((part) => (part ? bareProperties(part, path) : []))];
}

describe('the OpenAPI document', () => {
  it('says of every route what it is for', () => {
    const operations = Object.entries(document.paths).flatMap(([path, item]) =>
      Object.entries(item).map(([method, { summary }]) => ({ route: `${method} ${path}`, summary })),
    );

    expect(operations.length).toBeGreaterThan(40);
    expect(operations.filter(({ summary }) => !summary).map(({ route }) => route)).toEqual([]);
  });

  it('has bounds as OpenAPI 3.1 has them', () => {
    expect(JSON.stringify(document)).not.toMatch(/"exclusive(?:Minimum|Maximum)":true/);
    expect(JSON.stringify(document)).toMatch(/"exclusiveMinimum":0/);
  });

  it('says of every field of boards, comparisons and models what it is', () => {
    const bare = [...reachable(SHOWN)].flatMap((name) => bareProperties(document.components.schemas[name]!, name));

    expect(bare).toEqual([]);
  });
});

describe('withSummaries', () => {
  const summed = (summary: string) => {
    const paths = { '/here': { get: { summary, responses: {} } } };
    return withSummaries({ openapi: '3.1.0', info: { title: '', version: '' }, paths }).paths['/here']!.get!;
  };

  it('takes the first sentence, and makes the rest the description', () => {
    const { summary, description } = summed('Described in Croissant 1.0, as JSON.\nOf `a.b` too. And more.');

    expect(summary).toBe('Described in Croissant 1.0, as JSON.');
    expect(description).toBe('Of `a.b` too. And more.');
  });

  it('leaves a single sentence alone', () => {
    const operation = summed('The process answers.');

    expect(operation.summary).toBe('The process answers.');
    expect(operation).not.toHaveProperty('description');
  });
});
