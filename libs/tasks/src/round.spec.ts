import type { RoundState } from '@assay/contracts/collection';
import { describe, expect, it } from '@jest/globals';
import { Round, ROUND_TRANSITIONS } from './round.js';

const STATES = Object.keys(ROUND_TRANSITIONS) as RoundState[];

describe('a round', () => {
  it.each(STATES.flatMap((from) => STATES.map((to) => [from, to] as const)))(
    'advances from %s to %s only if the table allows it',
    (from, to) => {
      const round = Object.assign(Object.create(Round.prototype) as Round, { state: from });
      const isLegal = (ROUND_TRANSITIONS[from] as readonly string[]).includes(to);
      if (isLegal) round.advance(to);
      else expect(() => round.advance(to)).toThrow(`no transition leads from ${from} to ${to}`);
      expect(round.state).toBe(isLegal ? to : from);
    },
  );
});
