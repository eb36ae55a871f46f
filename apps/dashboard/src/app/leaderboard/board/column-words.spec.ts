import { describe, expect, it } from '@jest/globals';
import type { FigureColumn } from './board-columns.js';
import { degenerateSentence, rankAloneLabel, tieSentence, unrankedSentence, whyMissing } from './column-words.js';

const column = (name: string, isScore = true): FigureColumn => ({
  ...{ type: 'metric', id: name, place: 0 },
  metric: { name, unit: 'ratio', direction: 'higher', isScore },
});

describe('the words of a board', () => {
  it.each([
    [0, 9, ''],
    [1, 1, ''],
    [1, 9, 'The first is significantly ahead of all others.'],
    [2, 2, 'The two are tied.'],
    [3, 9, 'The first three are tied.'],
    [12, 40, 'The first 12 are tied.'],
    [4, 4, 'All of them are tied with the first.'],
  ])('of a first group of %d among %d are: %s', (size, of, sentence) => {
    expect(tieSentence(size, of)).toBe(sentence);
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
