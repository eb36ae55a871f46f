import { describe, expect, it } from '@jest/globals';
import type { JsonSchema } from './schema-help.js';
import { withoutDefaults } from './definition-yaml.js';

const SCHEMA: JsonSchema = {
  properties: {
    slug: { type: 'string' },
    language: { type: 'string', default: 'en' },
    quota: { default: {}, properties: { perDay: { default: 3 }, total: { default: 100 } } },
    weights: { additionalProperties: { type: 'number' } },
    collection: { allOf: [{ $ref: '#/$defs/Collection' }] },
  },
  $defs: { Collection: { properties: { goal: { default: 'chosen' } } } },
};

describe('withoutDefaults', () => {
  it('leaves out what has its default, at every depth', () => {
    expect(withoutDefaults(SCHEMA, { slug: 'a', language: 'en', quota: { perDay: 3, total: 100 } })).toEqual({
      slug: 'a',
    });
    expect(withoutDefaults(SCHEMA, { slug: 'a', quota: { perDay: 5, total: 100 } })).toEqual({
      slug: 'a',
      quota: { perDay: 5 },
    });
  });

  it('keeps what is there by being named', () => {
    expect(withoutDefaults(SCHEMA, { collection: { goal: 'chosen' }, weights: { accuracy: 1 } })).toEqual({
      collection: {},
      weights: { accuracy: 1 },
    });
  });
});
