import { seededRng } from '@assay/kernel';
import { describe, expect, it } from '@jest/globals';
import { type ApiDocument, operationsOf } from '../../factories/worlds/api-operations.js';
import { HostileRequests } from '../../factories/hostile/hostile-requests.js';

const SCHEMA = {
  type: 'object',
  required: ['number', 'above', 'list', 'text'],
  properties: {
    number: { type: 'integer', minimum: 10, maximum: 20 },
    above: { type: 'number', exclusiveMinimum: 30 },
    list: { type: 'array', minItems: 2, maxItems: 40, items: { type: 'boolean' } },
    text: { type: 'string', minLength: 5, maxLength: 60 },
  },
};
const DOCUMENT: ApiDocument = {
  paths: {
    '/api/v1/things': {
      post: { requestBody: { content: { 'application/json': { schema: SCHEMA } } }, responses: {} },
    },
  },
  components: { schemas: {} },
};

describe('nearly right requests', () => {
  const bodies = (count: number, seed: string): Record<string, unknown>[] => {
    const hostile = new HostileRequests(DOCUMENT, () => ['word'], seededRng(seed));
    const [operation] = operationsOf(DOCUMENT);
    return Array.from({ length: count }, () => hostile.of(operation!, {}).body ?? '').flatMap((body) => {
      try {
        const value = JSON.parse(body) as Record<string, unknown> | null;
        return typeof value === 'object' && value !== null ? [value] : [];
      } catch {
        // some bodies are truncated
        return [];
      }
    });
  };

  it('have what is just allowed and just not, at each end', () => {
    const sent = bodies(3000, 'ends');
    const numbers = (name: string) => sent.map((body) => body[name]);
    const lists = sent.map(({ list }) => (Array.isArray(list) ? list.length : null));
    const texts = sent.map(({ text }) => (typeof text === 'string' && /^a*$/.test(text) ? text.length : null));
    expect(numbers('number')).toEqual(expect.arrayContaining([9, 10, 11, 19, 20, 21]));
    expect(numbers('above')).toEqual(expect.arrayContaining([29, 30, 31]));
    expect(lists).toEqual(expect.arrayContaining([1, 2, 40, 41]));
    expect(texts).toEqual(expect.arrayContaining([4, 5, 60, 61]));
  });

  it('are the same of the same seed', () => {
    expect(bodies(50, 'same')).toEqual(bodies(50, 'same'));
    expect(bodies(50, 'same')).not.toEqual(bodies(50, 'other'));
  });
});
