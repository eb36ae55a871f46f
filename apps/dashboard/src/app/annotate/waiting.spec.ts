import type { Loop } from '@assay/api-client/angular';
import { describe, expect, it } from '@jest/globals';
import { modelsNotReady, waitInWords } from './waiting.js';

const loop = (...serving: readonly object[]) =>
  ({ models: serving.map((each) => ({ serving: each })) }) as unknown as Loop;
const ready = { state: 'ready', paused: false };
const held = { state: 'ready', paused: true };
const starting = { state: 'starting', paused: false, progress: { message: 'Its container starts.' } };

describe('models that are not ready', () => {
  it('are said nothing of while one can answer', () => {
    expect(modelsNotReady(loop(starting, ready))).toBe('');
    expect(modelsNotReady({ models: [] })).toBe('');
  });

  it('are said to start', () => expect(modelsNotReady(loop(starting))).toContain('Its container starts.'));

  it('are said to keep still while costs are measured', () => {
    expect(modelsNotReady(loop(starting, held))).toContain('while costs are measured');
  });
});

it('says that the example will be answered', () => {
  const problem = { code: 'model_starting', status: 503, detail: 'Its container starts.', errors: [] };
  expect(waitInWords(problem)).toBe('Its container starts. Your example will be answered automatically.');
  expect(waitInWords(null)).toBe('Your example will be answered automatically.');
});
