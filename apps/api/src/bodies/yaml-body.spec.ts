import { readFileSync, readdirSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { expectBounded } from './yaml-body.js';
import { processorMilliseconds } from '../../../../test/factories/measurement/processor-time.js';

const READY = new URL('../../../../libs/tasks/ready/', import.meta.url);
const refusal = (text: string): unknown => {
  try {
    expectBounded(text);
  } catch (error) {
    return (error as { code?: string }).code;
  }
  return undefined;
};

describe('expectBounded', () => {
  it.each([
    ['lists in lists', '['.repeat(100_000), 'too_deep'],
    ['dashes', '- '.repeat(60_000), 'too_deep'],
    ['blocks in blocks', Array.from({ length: 300 }, (_, n) => `${' '.repeat(n)}a:`).join('\n'), 'too_deep'],
    ['keys', Array.from({ length: 5000 }, (_, n) => `key${n}: 1`).join('\n'), 'too_many_values'],
    ['ends of lists', ']'.repeat(100_000), 'too_many_values'],
    ['anchors', '&a '.repeat(40_000), 'too_many_values'],
  ])('refuses too many %s at once', (_what, text, code) => {
    expect(processorMilliseconds(() => expect(refusal(text)).toBe(code), 2000)).toBeLessThan(2000);
  });

  it('takes every ready task', () => {
    const tasks = readdirSync(READY).filter((name) => name.endsWith('.yaml'));
    expect(tasks.length).toBeGreaterThan(0);
    for (const name of tasks) expect(refusal(readFileSync(new URL(name, READY), 'utf8'))).toBeUndefined();
  });
});
