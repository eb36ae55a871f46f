import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { withOperations } from './openapi-document.js';

interface Schema {
  readonly description?: string;
  readonly $ref?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly additionalProperties?: Schema | boolean;
  readonly anyOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
}

interface Operation {
  readonly summary?: string;
  readonly parameters?: readonly { readonly name: string }[];
  readonly responses: Readonly<Record<string, { readonly content?: Readonly<Record<string, { schema: Schema }>> }>>;
}

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

const document = JSON.parse(readFileSync(new URL('../../openapi.json', import.meta.url), 'utf8')) as Document;

/** The schemas that readers of boards, comparisons and models receive. */
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

/** Lists without pages, each with what bounds it or why it is whole. All others take `limit` and `cursor`. */
const WHOLE: Readonly<Record<string, string>> = {
  '/api/v1/tokens': 'one’s own, which end after a year',
  '/api/v1/me/sessions': 'one’s own, which end after 30 days',
  '/api/v1/me/provider': 'one’s own, each proven by a sign-in',
  '/api/v1/me/badges': 'kinds of badges',
  '/api/v1/me/webhooks': 'ten by each',
  '/api/v1/me/storage/items': 'one’s own, as many as the storage holds',
  '/api/v1/ready-tasks': 'files of the installation',
  '/api/v1/tasks/{slug}/benchmark-versions': 'made by the owner alone',
  '/api/v1/tasks/{slug}/datasets/{name}/versions': 'made by the owner alone',
  '/api/v1/tasks/{slug}/datasets/{name}/perturbations': 'kinds of perturbations',
  '/api/v1/tasks/{slug}/rounds/{number}/costs': 'one of each currency in which the owner pays',
  '/api/v1/tasks/{slug}/rounds/{number}/crowd-links': 'made by the owner alone',
  '/api/v1/tasks/{slug}/rounds/{number}/crowd-links/{id}/sessions':
    'what all are due, by which the owner pays; a link ends',
  '/api/v1/evaluators': 'machines, 20 of each owner at most',
  '/api/v1/admin/evaluators': 'machines of the installation',
  '/api/v1/admin/sandboxes': 'as many as the evaluators may run',
};

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

  it('gives every list in pages, but for those that are bounded otherwise', () => {
    const lists = Object.entries(document.paths).flatMap(([path, { get }]) => {
      const schema = get?.responses['200']?.content?.['application/json']?.schema;
      const shape = schema?.$ref ? document.components.schemas[schema.$ref.split('/').at(-1)!] : schema;
      return shape?.properties?.['items'] ? [{ path, names: get!.parameters?.map(({ name }) => name) ?? [] }] : [];
    });
    const whole = lists.filter(({ names }) => !names.includes('limit')).map(({ path }) => path);

    expect(lists.length).toBeGreaterThan(25);
    expect(whole.sort()).toEqual(Object.keys(WHOLE).sort());
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

describe('withOperations', () => {
  const summed = (summary: string) => {
    const paths = { '/here': { get: { summary, responses: {} } } };
    return withOperations({ openapi: '3.1.0', info: { title: '', version: '' }, paths }).paths['/here']!.get!;
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
