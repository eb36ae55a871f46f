import { describe, expect, it } from '@jest/globals';
import { possibleActions, type Standable, standingOf } from './model-standing.js';

const model = (more: Partial<Standable> = {}): Standable => ({
  state: 'scored',
  kind: 'container',
  published: true,
  withdrawn: false,
  evaluations: [{ state: 'scored' }, { state: 'scored' }],
  ...more,
});

describe('standingOf', () => {
  it.each([
    ['scored', model()],
    ['scored, not published', model({ published: false })],
    ['withdrawn', model({ withdrawn: true })],
    ['incomplete', model({ evaluations: [{ state: 'scored' }, { state: 'failed' }] })],
    ['failed', model({ state: 'failed' })],
    ['runs', model({ state: 'running' })],
  ])('calls it %s', (word, shown) => {
    expect(standingOf(shown).word).toBe(word);
  });

  it('counts what is scored of one that is incomplete', () => {
    const shown = model({ evaluations: [{ state: 'scored' }, { state: 'failed' }, { state: 'cancelled' }] });
    expect(standingOf(shown).sentence).toMatch(/^1 of its 3 evaluations are scored/);
  });
});

describe('possibleActions', () => {
  const artifact = {};

  it('measures a scored model again, and evaluates nothing of it again', () => {
    expect(possibleActions({ ...model(), artifact })).toEqual({
      rerun: false,
      measure: true,
      cancel: false,
      publish: false,
      withdraw: true,
      archive: true,
    });
  });

  it('cancels what is under way, and nothing else of it but the board', () => {
    expect(possibleActions({ ...model({ state: 'running' }), artifact })).toMatchObject({
      cancel: true,
      rerun: false,
      archive: false,
    });
  });

  it('runs a failed model again, unless its bytes are gone', () => {
    const failed = model({ state: 'failed', evaluations: [{ state: 'failed' }] });
    expect(possibleActions({ ...failed, artifact }).rerun).toBe(true);
    expect(possibleActions({ ...failed, artifact: { archivedAt: '2026-11-22T12:00:00Z' } }).rerun).toBe(false);
    expect(possibleActions(failed).rerun).toBe(false);
  });

  it('never measures uploaded predictions', () => {
    expect(possibleActions({ ...model({ kind: 'predictions' }), artifact }).measure).toBe(false);
  });
});
