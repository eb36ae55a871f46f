import { describe, expect, it } from '@jest/globals';
import type { FigureColumn } from './board-columns.js';
import {
  againstSentence,
  belowSentence,
  candidatesSentence,
  degenerateSentence,
  differenceTitle,
  rankAloneLabel,
  unrankedSentence,
  whyMissing,
} from './column-words.js';

const column = (name: string, isScore = true): FigureColumn => ({
  ...{ type: 'metric', id: name, place: 0 },
  metric: { name, unit: 'ratio', direction: 'higher', isScore },
});

describe('the words of a board', () => {
  it.each([
    [0, 9, ''],
    [1, 1, ''],
    [1, 9, 'The first is significantly ahead of all others.'],
    [2, 2, 'Could be first: two models.'],
    [3, 9, 'Could be first: three models.'],
    [12, 40, 'Could be first: 12 models.'],
  ])('of %d models that could be first among %d are: %s', (count, of, sentence) => {
    expect(candidatesSentence(count, of)).toBe(sentence);
  });

  it('name what the rows are compared with, and what came out', () => {
    const note = '≈ marks no significant difference, corrected for the 7 rows.';
    expect(againstSentence('accuracy', 7, { model: 'xlnet' })).toBe(
      `Difference: accuracy minus that of xlnet. ${note}`,
    );
    expect(againstSentence('accuracy', 7, { version: 2 })).toBe(
      `Difference: accuracy minus that of the same model on benchmark version 2. ${note}`,
    );
    expect(differenceTitle({ verdict: 'worse', p: 0.004, comparable: 2, of: 3 })).toBe(
      'significantly worse, corrected p 0.004, 2 of 3 datasets',
    );
    expect(differenceTitle({ verdict: 'none', p: null, comparable: 1, of: 1 })).toBe(
      'no significant difference, 1 of 1 datasets',
    );
  });

  it.each([
    ['memory', false, 'predictions', 'not run here'],
    ['latency_p99', false, 'container', 'too few requests'],
    ['ece', true, 'container', 'no probabilities'],
    ['worst:topic', true, 'container', 'slices too small'],
    ['robustness', true, 'onnx', 'no perturbed set'],
  ])('say why there is no %s', (name, isScore, kind, why) => {
    expect(whyMissing(column(name, isScore), kind)).toBe(why);
  });

  it('say why complete models are not ranked', () => {
    expect(belowSentence(1)).toMatch(/^1 model is not ranked: it is not better than the baseline /);
    expect(belowSentence(2)).toMatch(/^2 models are not ranked: they are not better than the baseline /);
  });

  it('say what scored models lack to be ranked', () => {
    const [memory, ece] = [
      { name: 'memory', isScore: false },
      { name: 'ece', isScore: true },
    ];
    expect(unrankedSentence(5, [memory])).toBe('5 models are scored but have no costs, which this board weighs.');
    expect(unrankedSentence(1, [memory, ece])).toBe(
      '1 model is scored but has no memory, ECE, which this board weighs.',
    );
    expect(rankAloneLabel('macro_f1')).toBe('Rank them by macro F1 alone');
  });

  it.each(['no_models', 'one_model', 'equal_performance', 'no_information'])('say what %s means', (code) => {
    expect(degenerateSentence(code)).toMatch(/^[A-Z].*\.$/);
    expect(degenerateSentence(code)).not.toContain('_');
  });
});
