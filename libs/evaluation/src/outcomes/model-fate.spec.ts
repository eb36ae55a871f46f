import { failure } from '@assay/contracts/models';
import { describe, expect, it } from '@jest/globals';
import type { CellFate } from '../evaluations/evaluation.repository.js';
import { modelFate } from './model-states.js';

const why = failure('model_exited', 'It exited with code 1.');
const other = failure('unknown_label', 'It said "maybe".');
const scored: CellFate = { state: 'scored', failure: null };
const failed: CellFate = { state: 'failed', failure: why };
const cancelled: CellFate = { state: 'cancelled', failure: null };
const queued: CellFate = { state: 'queued', failure: null };
const running: CellFate = { state: 'running', failure: null };

describe('modelFate', () => {
  it.each([
    ['admission', 'queued', 'admitting'],
    ['admission', 'leased', 'admitting'],
    ['evaluation', 'queued', 'queued'],
    ['evaluation', 'leased', 'running'],
  ] as const)('follows a live run: %s, %s', (stage, state, expected) => {
    expect(modelFate('container', [failed, queued], { stage, state }, null)).toEqual({
      state: expected,
      failure: null,
    });
  });

  it.each([
    ['all are scored', [scored, scored], { state: 'scored', failure: null }],
    ['one has failed', [scored, failed, { ...failed, failure: other }], { state: 'failed', failure: why }],
    ['one was cancelled', [scored, cancelled], { state: 'cancelled', failure: null }],
    ['the answers of one wait to be scored', [scored, running], { state: 'running', failure: null }],
    ['one waits', [running, queued], { state: 'queued', failure: null }],
    ['there is none', [], { state: 'queued', failure: null }],
  ])('follows its cells when nothing runs: %s', (_, cells, expected) => {
    expect(modelFate('container', cells, null, null)).toEqual(expected);
  });

  it('fails without a cell when its artifact was refused', () => {
    expect(modelFate('container', [], null, why)).toEqual({ state: 'failed', failure: why });
  });

  it('leaves predictions scored that do not cover everything', () => {
    expect(modelFate('predictions', [scored, cancelled], null, null)).toMatchObject({ state: 'scored' });
    expect(modelFate('predictions', [cancelled], null, null)).toMatchObject({ state: 'cancelled' });
  });
});
