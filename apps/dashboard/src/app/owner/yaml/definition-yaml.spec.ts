import { describe, expect, it } from '@jest/globals';
import { parse } from 'yaml';
import { definitionYaml } from './definition-yaml.js';
import type { JsonSchema } from './schema-help.js';

const SCHEMA: JsonSchema = {
  properties: {
    slug: {},
    name: {},
    inputs: { items: { properties: { name: {}, type: {} } } },
    output: { properties: { name: {}, type: {}, labels: {} } },
    quota: { default: {}, properties: { perDay: { default: 3 } } },
    instructions: {},
  },
};
const DEFINITION = {
  output: { labels: ['yes', 'no'], type: 'label', name: 'label' },
  quota: { perDay: 3 },
  instructions: 'One.\n\nTwo.\n',
  inputs: [
    { name: 'context', type: 'text' },
    { name: 'hypothesis', type: 'text' },
  ],
  name: 'NLI',
  slug: 'nli',
};

describe('definitionYaml', () => {
  it('writes keys in the order of the schema, short lists in a line, texts as blocks, and no defaults', () => {
    expect(definitionYaml(SCHEMA, DEFINITION)).toBe(
      `slug: nli
name: NLI
inputs: [{ name: context, type: text }, { name: hypothesis, type: text }]
output: { name: label, type: label, labels: [yes, no] }
instructions: |
  One.

  Two.
`,
    );
  });

  it('says the same data', () => {
    expect({ ...parse(definitionYaml(SCHEMA, DEFINITION)), quota: { perDay: 3 } }).toEqual(DEFINITION);
    const long = { slug: 'a', inputs: Array.from({ length: 30 }, (_, n) => ({ name: `input ${n}`, type: 'a: b' })) };
    expect(parse(definitionYaml(SCHEMA, long))).toEqual(long);
  });
});
