import { describe, expect, it } from '@jest/globals';
import { assertTransition, finalStates, statesBefore, type TransitionTable } from './transition-table.js';

type Door = 'open' | 'closed' | 'walled';
const DOOR = {
  open: ['closed'],
  closed: ['open', 'closed', 'walled'],
  walled: [],
} as const satisfies TransitionTable<Door>;

describe('a transition table', () => {
  it('has the states that a state may follow', () => {
    expect(statesBefore<Door>(DOOR, 'open')).toEqual(['closed']);
    expect(statesBefore<Door>(DOOR, 'closed')).toEqual(['open', 'closed']);
  });

  it('refuses to search for a state that follows none', () => {
    expect(() => statesBefore<Door>({ ...DOOR, closed: [] }, 'walled')).toThrow('no transition leads to walled');
  });

  it('has final states, which no state follows', () => {
    expect(finalStates(DOOR)).toEqual(['walled']);
  });

  it.each([
    ['open', 'closed'],
    ['closed', 'closed'],
    ['closed', 'walled'],
  ] as const)('allows %s to become %s', (from, to) => {
    expect(() => assertTransition<Door>(DOOR, from, to)).not.toThrow();
  });

  it.each([
    ['open', 'open'],
    ['open', 'walled'],
    ['walled', 'open'],
  ] as const)('does not allow %s to become %s', (from, to) => {
    expect(() => assertTransition<Door>(DOOR, from, to)).toThrow(`no transition leads from ${from} to ${to}`);
  });
});
