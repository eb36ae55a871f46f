import type { LiveAnswer } from '@assay/contracts/collection';
import type { TaskOutput } from '@assay/contracts/tasks';
import { describe, expect, it } from '@jest/globals';
import { fooledRuleOf, isFooled } from './fooled-rule.js';

const LABEL: TaskOutput = { name: 'label', type: 'label', labels: ['yes', 'no', 'maybe'] };
const LABELS: TaskOutput = { name: 'labels', type: 'labels', labels: ['red', 'blue'] };
const SPAN: TaskOutput = { name: 'answer', type: 'span', of: 'context' };
const TEXT: TaskOutput = { name: 'reply', type: 'text' };
const NUMBER: TaskOutput = { name: 'value', type: 'number' };

const answer = (text: string, probabilities?: readonly number[]): LiveAnswer => ({
  model: 'a model',
  specification: 'a specification',
  answer: text,
  milliseconds: 1,
  at: '2026-11-22T00:00:00.000Z',
  ...(probabilities && { probabilities }),
});

describe('isFooled', () => {
  it.each([
    ['another label', LABEL, ['yes'], 'no', true],
    ['the label', LABEL, ['yes'], 'yes', false],
    ['one of two acceptable labels', LABEL, ['yes', 'maybe'], 'maybe', false],
    ['the same set of labels', LABELS, ['["blue","red"]'], '["blue","red"]', false],
    ['a part of the labels', LABELS, ['["blue","red"]'], '["blue"]', true],
    ['the same number, written otherwise', NUMBER, ['2'], '2.0', false],
    ['another number', NUMBER, ['2'], '2.1', true],
    ['the same words, with an article and a full stop', TEXT, ['the Ark'], 'Ark.', false],
  ] as const)('where the answer must be the label: %s', (_, output, gold, given, expected) => {
    expect(isFooled('label-differs', { output }, gold, [answer(given)], 'one')).toBe(expected);
  });

  it('goes by word F1 with the acceptable answer that fits best', () => {
    const rule = { 'f1-below': 0.4 };
    expect(isFooled(rule, { output: SPAN }, ['in Paris', 'France'], [answer('Paris')], 'one')).toBe(false);
    expect(isFooled(rule, { output: SPAN }, ['France'], [answer('Paris')], 'one')).toBe(true);
  });

  it('goes by the most probable label, where uncertain answers are looked for', () => {
    const rule = { 'uncertain-below': 0.6 };
    expect(isFooled(rule, { output: LABEL }, ['yes'], [answer('yes', [0.5, 0.3, 0.2])], 'one')).toBe(true);
    expect(isFooled(rule, { output: LABEL }, ['yes'], [answer('no', [0.1, 0.6, 0.3])], 'one')).toBe(false);
    expect(isFooled(rule, { output: LABEL }, ['yes'], [answer('no')], 'one')).toBeNull();
  });

  it.each([
    ['any', [true, false, false], true],
    ['any', [false, false, false], false],
    ['all', [true, true, false], false],
    ['all', [true, true, true], true],
    ['majority', [true, true, false], true],
    ['majority', [true, false], false],
  ] as const)('of several models, where %s must be: %j', (facing, wrong, expected) => {
    const answers = wrong.map((isWrong) => answer(isWrong ? 'no' : 'yes'));
    expect(isFooled('label-differs', { output: LABEL }, ['yes'], answers, facing)).toBe(expected);
  });

  it('is for a person to say where the rule asks, and where no model answered', () => {
    expect(isFooled('ask', { output: TEXT }, ['Hello'], [answer('Hallo')], 'one')).toBeNull();
    expect(isFooled('label-differs', { output: LABEL }, ['yes'], [], 'any')).toBeNull();
  });
});

describe('fooledRuleOf', () => {
  it('stands in by the output where a task names no rule', () => {
    expect(fooledRuleOf(LABEL, {})).toBe('label-differs');
    expect(fooledRuleOf(SPAN, {})).toEqual({ 'f1-below': 0.4 });
    expect(fooledRuleOf(TEXT, { fooled: { 'f1-below': 0.2 } })).toEqual({ 'f1-below': 0.2 });
  });
});
