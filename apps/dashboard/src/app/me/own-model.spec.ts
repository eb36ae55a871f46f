import { describe, expect, it } from '@jest/globals';
import { actionsOf, boardsOf, type OwnModel, statusOf } from './own-model.js';

const model = (more: Partial<OwnModel>): OwnModel => ({
  id: 'm',
  task: 'nli',
  taskName: 'NLI',
  name: 'M',
  kind: 'container',
  state: 'scored',
  published: true,
  withdrawn: false,
  createdAt: '2026-01-01T00:00:00.000Z',
  ...more,
});
const failed = (fault: 'model' | 'platform') =>
  model({ state: 'failed', failure: { code: 'platform_failed', fault, message: 'm', next: 'n' } });

describe('actionsOf', () => {
  it.each([
    [model({ state: 'awaiting-artifact' }), ['upload']],
    [model({ state: 'running' }), ['cancel']],
    [model({ state: 'cancelled' }), ['rerun']],
    [failed('platform'), ['rerun']],
    [failed('model'), []],
    [model({}), ['withdraw']],
    [model({ withdrawn: true }), ['publish']],
    [model({ published: false }), ['publish']],
  ] as const)('%j', (of, actions) => expect(actionsOf(of)).toEqual(actions));
});

describe('statusOf', () => {
  it('tells what is on the board from what only its owner sees', () => {
    expect(statusOf(model({}))).toEqual({ words: 'scored', tone: 'good' });
    expect(statusOf(model({ published: false })).words).toBe('scored, not shown');
    expect(statusOf(model({ withdrawn: true })).words).toBe('withdrawn');
  });
});

describe('boardsOf', () => {
  it('asks each board once, and none of what is on none', () => {
    const models = [
      model({}),
      model({}),
      model({ task: 'qa', state: 'failed' }),
      model({ task: 'vqa', withdrawn: true }),
    ];
    expect(boardsOf(models)).toEqual(['nli']);
  });
});
