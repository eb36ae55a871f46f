import { describe, expect, it } from '@jest/globals';
import { changedFacts } from './fact-list.js';

describe('what an entry of the audit says to have changed', () => {
  it('is each fact before and after, in words', () => {
    const facts = changedFacts({ role: 'user', blocked: false, ends: null }, { role: 'administrator', blocked: true });
    expect(facts).toEqual([
      { name: 'role', from: 'user', to: 'administrator' },
      { name: 'blocked', from: 'no', to: 'yes' },
      { name: 'ends', from: 'nothing', to: undefined },
    ]);
  });

  it('goes into what is nested, and leaves out what stayed', () => {
    const before = { limits: { memory: '1GiB', cpus: 2 }, metrics: ['accuracy'], name: 'Tone' };
    const after = { limits: { memory: '2GiB', cpus: 2 }, metrics: ['accuracy', 'macro_f1'], name: 'Tone' };
    expect(changedFacts(before, after)).toEqual([
      { name: 'limits, memory', from: '1GiB', to: '2GiB' },
      { name: 'metrics', from: 'accuracy', to: 'accuracy, macro_f1' },
    ]);
  });

  it('has only the one side where the other is not there', () => {
    expect(changedFacts(null, { expiresAt: '2026-01-01', models: [], tags: {} })).toEqual([
      { name: 'expires at', from: undefined, to: '2026-01-01' },
      { name: 'models', from: undefined, to: 'none' },
      { name: 'tags', from: undefined, to: '{}' },
    ]);
    expect(changedFacts(null, null)).toEqual([]);
  });

  it('has only what is so since of what was nothing before', () => {
    expect(changedFacts({ use: null, role: null }, { use: 'scoring', role: 'static' })).toEqual([
      { name: 'use', from: undefined, to: 'scoring' },
      { name: 'role', from: undefined, to: 'static' },
    ]);
    expect(changedFacts({ use: null, role: 'static' }, { use: 'scoring', role: 'static' })[0]!.from).toBe('nothing');
  });

  it('writes lists of more than words as they are', () => {
    expect(changedFacts(null, { inputs: [{ name: 'text' }] })[0]!.to).toBe('[{"name":"text"}]');
  });
});
