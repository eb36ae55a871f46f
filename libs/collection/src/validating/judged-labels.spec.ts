import type { TaskOutput } from '@assay/contracts/tasks';
import { describe, expect, it } from '@jest/globals';
import { readJudgedLabel, sameLabel } from './judged-labels.js';

const LABEL: TaskOutput = { name: 'label', type: 'label', labels: ['yes', 'no'] };
const LABELS: TaskOutput = { name: 'labels', type: 'labels', labels: ['red', 'blue'] };
const SPAN: TaskOutput = { name: 'answer', type: 'span', of: 'context' };
const TEXT: TaskOutput = { name: 'reply', type: 'text' };
const NUMBER: TaskOutput = { name: 'value', type: 'number' };
const INPUT = { context: 'Ada met the Queen in London.' };

describe('readJudgedLabel', () => {
  it.each([
    [LABEL, 'yes', ['yes']],
    [LABEL, ['no'], ['no']],
    [LABELS, ['red', 'blue', 'red'], ['["blue","red"]']],
    [SPAN, 'in London', ['in London']],
    [TEXT, 'anything', ['anything']],
    [NUMBER, 2.5, ['2.5']],
  ] as const)('of $type, from %j, is %j', (output, given, expected) => {
    expect(readJudgedLabel(output, typeof given === 'object' ? [...given] : given, INPUT)).toEqual(expected);
  });

  it.each([
    [LABEL, 'maybe', 'unknown_label'],
    [LABEL, ['yes', 'no'], 'wrong_label'],
    [LABEL, 1, 'wrong_label'],
    [LABELS, [], 'empty_label'],
    [LABELS, ['green'], 'unknown_label'],
    [SPAN, 'in Paris', 'span_not_in_input'],
    [SPAN, ' ', 'empty_label'],
    [TEXT, '\n\t', 'empty_label'],
    [NUMBER, 'two', 'wrong_label'],
  ] as const)('of $type, refuses %j: %s', (output, given, code) => {
    const read = () => readJudgedLabel(output, typeof given === 'object' ? [...given] : given, INPUT);
    expect(read).toThrow(expect.objectContaining({ code }));
  });
});

describe('sameLabel', () => {
  it.each([
    ['a shared acceptable label', LABEL, ['yes', 'no'], ['no'], true],
    ['no shared one', LABEL, ['yes'], ['no'], false],
    ['a part of several labels', LABELS, ['["red"]'], ['["blue","red"]'], false],
    ['the same number otherwise written', NUMBER, ['1e1'], ['10'], true],
    ['the same words but for an article', SPAN, ['the Queen'], ['Queen'], true],
    ['nearly the same words', TEXT, ['one two three four'], ['one two three'], true],
    ['half of the words', TEXT, ['one two'], ['one three'], false],
  ] as const)('with %s', (_, output, one, other, expected) => {
    expect(sameLabel({ output }, one, other)).toBe(expected);
    expect(sameLabel({ output }, other, one)).toBe(expected);
  });
});
