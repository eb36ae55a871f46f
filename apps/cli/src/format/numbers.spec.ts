import { describe, expect, it } from '@jest/globals';
import { duration, estimateText, metricTitle, metricValue, threeDigits } from './numbers.js';

describe('numbers for a person', () => {
  it.each([
    [0, '0'],
    [0.02134, '0.0213'],
    [0.9996, '1.00'],
    [4.208, '4.21'],
    [41, '41.0'],
    [99.96, '100'],
    [118.4, '118'],
    [12_432, '12,400'],
  ])('%d has three significant digits: %s', (value, text) => {
    expect(threeDigits(value)).toBe(text);
  });

  it('gives a ratio as percent with half of its interval', () => {
    expect(estimateText('ratio', { value: 0.57, low: 0.553, high: 0.587 })).toBe('57.0 ± 1.7');
    expect(estimateText('ms', { value: 118.4, low: 110, high: 126 })).toBe('118 ± 8.00');
  });

  it('gives the value alone where no interval is defined', () => {
    const none = { low: null, high: null };
    expect(estimateText('ratio', { value: 1, ...none })).toBe('100.0');
    expect(estimateText('ratio', { value: 0.57, ...none, why: 'too few examples' })).toBe('57.0 (too few examples)');
    expect(estimateText('ratio', { value: 0.041, ...none, band: { low: 0.02, high: 0.039 } })).toBe(
      '4.1 (calibrated: 2.0–3.9)',
    );
  });

  it('puts the unit into the title', () => {
    expect(metricTitle('macro_f1', 'ratio')).toBe('macro F1 %');
    expect(metricTitle('throughput', 'examples/s')).toBe('throughput ex/s');
    expect(metricTitle('squad_f1', 'ratio')).toBe('SQuAD F1 %');
    expect(metricTitle('rouge_l', 'ratio')).toBe('ROUGE-L %');
    expect(metricTitle('worst:age_group', 'ratio')).toBe('worst:age_group %');
    expect(metricValue('GiB', 1.9)).toBe('1.90');
  });

  it('shows CPU seconds for an example in milliseconds', () => {
    expect(metricTitle('cpu_time', 's/example')).toBe('CPU time ms/example');
    expect(metricValue('s/example', 0.0000213)).toBe('0.0213');
    expect(metricValue('s/example', 1.2)).toBe('1,200');
  });

  it.each([
    [0.2, '0 s'],
    [45, '45 s'],
    [720, '12 min'],
    [27_000, '7.5 h'],
    [Infinity, 'unknown'],
  ])('%d seconds are %s', (seconds, text) => {
    expect(duration(seconds)).toBe(text);
  });
});
