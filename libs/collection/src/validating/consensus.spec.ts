import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { consensus, type Judgement } from './consensus.js';

const RULE = { validations: 3, mostValidations: 5 };
const isSame = (one: readonly string[], other: readonly string[]) => one.some((label) => other.includes(label));

/** `c`: correct; `f`: flagged; anything else: incorrect, with that label. `c+` and `c-` say of the model whether it is wrong. */
const judgements = (text: string): Judgement[] =>
  text
    .split(' ')
    .filter((each) => each !== '')
    .map((each) => {
      const none = { rightLabel: null, modelWrong: null };
      if (each === 'f') return { verdict: 'flagged', ...none };
      if (!/^c[+-]?$/.test(each)) return { verdict: 'incorrect', rightLabel: each.split('|'), modelWrong: null };
      return { verdict: 'correct', ...none, ...(each.length > 1 && { modelWrong: each === 'c+' }) };
    });
const decide = (text: string, rule = RULE) => consensus(judgements(text), rule, isSame);

describe('consensus', () => {
  it.each([
    ['', null],
    ['c c', null],
    ['c c c', 'validated'],
    ['c f c no c', 'validated'],
    ['f f f', 'flagged'],
    ['f c f f', 'flagged'],
    ['no maybe no', 'rejected'],
    ['no maybe c perhaps', 'rejected'],
    ['c c no no', null],
    ['c c no no f', 'undecided'],
    ['c c f f no', 'undecided'],
  ])('of "%s" is %s', (text, outcome) => {
    expect(decide(text)?.outcome ?? null).toBe(outcome);
    expect(decide(text)?.label ?? null).toBeNull();
  });

  it('makes the label on which enough agree against the author the label', () => {
    expect(decide('no no no')).toEqual({ outcome: 'validated', label: ['no'], modelWrong: null });
    expect(decide('no c no f no')).toMatchObject({ outcome: 'validated', label: ['no'] });
  });

  it('takes every text of those who agree for acceptable, each once', () => {
    expect(decide('Paris|paris Paris paris|Paris')).toMatchObject({ label: ['Paris', 'paris'] });
  });

  it('says of the models what most say who found the label right', () => {
    expect(decide('c+ c- c+')).toMatchObject({ outcome: 'validated', modelWrong: true });
    expect(decide('c- c- c+')).toMatchObject({ modelWrong: false });
    expect(decide('c- c c+')).toMatchObject({ modelWrong: null });
    expect(decide('c c c')).toMatchObject({ modelWrong: null });
  });

  it('needs as many as must agree, even where a task allows fewer', () => {
    const rule = { validations: 3, mostValidations: 1 };
    expect(decide('c', rule)).toBeNull();
    expect(decide('c no f', rule)).toMatchObject({ outcome: 'undecided' });
  });

  it('can be of one validator alone', () => {
    expect(decide('no', { validations: 1, mostValidations: 1 })).toMatchObject({ outcome: 'validated', label: ['no'] });
  });
});

const verdict = fc.constantFrom('c', 'f', 'no', 'maybe');
const rules = fc
  .tuple(fc.integer({ min: 1, max: 5 }), fc.integer({ min: 0, max: 5 }))
  .map(([validations, more]) => ({ validations, mostValidations: validations + more }));

describe('the most verdicts', () => {
  it('bound what an example costs: it is decided after as many as the rule has at most', () => {
    fc.assert(
      fc.property(fc.array(verdict, { minLength: 10, maxLength: 10 }), rules, (given, rule) => {
        expect(decide(given.slice(0, rule.mostValidations).join(' '), rule)).not.toBeNull();
      }),
    );
  });
});
