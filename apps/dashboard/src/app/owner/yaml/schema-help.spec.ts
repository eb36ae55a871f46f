import { describe, expect, it } from '@jest/globals';
import { helpAt, type JsonSchema, keysAt, placeAt, valuesAt } from './schema-help.js';

const SCHEMA: JsonSchema = {
  type: 'object',
  properties: {
    name: { type: 'string', description: 'for people' },
    inputs: { type: 'array', items: { $ref: '#/$defs/Input' }, description: 'what a model sees' },
    loop: { allOf: [{ $ref: '#/$defs/Loop' }], description: 'which models' },
    weights: { type: 'object', propertyNames: { anyOf: [{ enum: ['accuracy'] }, { enum: ['memory'] }] } },
  },
  $defs: {
    Input: { type: 'object', properties: { name: { type: 'string' }, type: { enum: ['text', 'image'] } } },
    Loop: { properties: { size: { type: 'integer', default: 1, description: 'models in the loop' } } },
  },
};

const LINES = [
  'name: NLI',
  'inputs:',
  '  - name: context',
  '    type: text',
  'loop:',
  '  ',
  '  size: 2',
  'weights: { ',
];

describe('help by the schema', () => {
  it.each([
    [0, 2, { path: [], key: 'name', isValue: false }],
    [0, 7, { path: [], key: 'name', isValue: true }],
    [2, 6, { path: ['inputs'], key: 'name', isValue: false }],
    [3, 11, { path: ['inputs'], key: 'type', isValue: true }],
    [5, 2, { path: ['loop'], key: undefined, isValue: false }],
    [6, 8, { path: ['loop'], key: 'size', isValue: true }],
  ])('knows where line %i, character %i is', (line, column, place) => {
    expect(placeAt(LINES, line, column)).toEqual(place);
  });

  it('lists the keys of a place, each with what it is for', () => {
    expect(keysAt(SCHEMA, []).map(({ label }) => label)).toEqual(['name', 'inputs', 'loop', 'weights']);
    expect(keysAt(SCHEMA, ['loop'])).toEqual([{ label: 'size', detail: 'models in the loop (default: 1)' }]);
    expect(keysAt(SCHEMA, ['inputs']).map(({ label }) => label)).toEqual(['name', 'type']);
    expect(keysAt(SCHEMA, ['weights']).map(({ label }) => label)).toEqual(['accuracy', 'memory']);
  });

  it('lists values, and explains a key', () => {
    expect(valuesAt(SCHEMA, ['inputs', 'type'])).toEqual(['text', 'image']);
    expect(helpAt(SCHEMA, ['loop', 'size'])).toBe('models in the loop (default: 1)');
    expect(helpAt(SCHEMA, ['name'])).toBe('for people');
    expect(helpAt(SCHEMA, ['nothing'])).toBeUndefined();
  });
});
