import type { DatasetArtefacts } from '@assay/api-client/fetch';
import { count, percent } from './numbers.js';
import { right, tableText } from './table.js';

/** Formats what the examples of a dataset give away about their labels. */
export function artefactsText({ dataset, version, examples, majority, inputs, words }: DatasetArtefacts): string {
  const lines = [
    `${dataset} v${version}, ${count(examples)} examples. The most frequent label has ${percent(majority)}%.`,
    ...inputs.map(({ input, accuracy, aboveMajority }) => {
      if (accuracy === null) return `${input} alone: too few examples or labels.`;
      const interval =
        accuracy.low === null || accuracy.high === null
          ? ''
          : ` (95% interval ${percent(accuracy.low)}% to ${percent(accuracy.high)}%)`;
      const verdict = aboveMajority === true ? ': it gives labels away' : '';
      return `${input} alone: ${percent(accuracy.value)}% of the labels guessed${interval}${verdict}.`;
    }),
  ];
  if (words.length === 0) return [...lines, 'No word goes with a label more often than by chance.'].join('\n');
  const table = tableText(
    ['word', 'in', 'label', right('examples'), right('share %'), right('expected %'), right('z')],
    words.map((word) => [
      word.word,
      word.input,
      word.label,
      count(word.examples),
      percent(word.share),
      percent(word.expected),
      word.z.toFixed(1),
    ]),
  );
  return [...lines, '', table].join('\n');
}
