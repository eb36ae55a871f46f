import type { DatasetShift } from '@assay/api-client/fetch';
import { count, percent } from './numbers.js';
import { right, tableText } from './table.js';

/** Formats what changed between two datasets. */
export function shiftText(shift: DatasetShift): string {
  const { before, after, labels, inputs, words } = shift;
  return [
    `From ${sideText(before)} to ${sideText(after)}`,
    `Told apart by all inputs: ${areaText(shift.separability)}${shift.differs ? ': the inputs differ' : ''}.`,
    ...(labels.length === 0 ? [] : ['', labelTable(labels)]),
    '',
    inputTable(inputs),
    '',
    words.length === 0 ? 'No word is more frequent in one of them than by chance.' : wordTable(shift),
  ].join('\n');
}

const sideText = ({ dataset, version, examples }: DatasetShift['before']): string =>
  `${dataset} v${version} (${count(examples)} examples)`;

/** An area under the ROC curve with its interval. */
const areaText = (area: DatasetShift['separability']): string =>
  area === null
    ? 'too few examples'
    : `AUC ${area.value.toFixed(2)} (95% interval ${area.low.toFixed(2)} to ${area.high.toFixed(2)}; 0.5 is chance)`;

const labelTable = (labels: DatasetShift['labels']): string =>
  tableText(
    ['label', right('before %'), right('after %'), right('change, points'), right('95% interval')],
    labels.map(({ label, before, after, difference: { value, low, high } }) => [
      label,
      percent(before),
      percent(after),
      percent(value),
      low === null || high === null ? '·' : `${percent(low)} to ${percent(high)}`,
    ]),
  );

const inputTable = (inputs: DatasetShift['inputs']): string =>
  tableText(
    [
      'input',
      ...['median words before', 'after', 'vocabulary before', 'after', 'new words %', 'gone words %', 'AUC'].map(
        right,
      ),
    ],
    inputs.map(({ input, length, vocabulary, unseen, separability }) => [
      input,
      length.before?.median.toFixed(1) ?? '·',
      length.after?.median.toFixed(1) ?? '·',
      count(vocabulary.before),
      count(vocabulary.after),
      unseen.after === null ? '·' : percent(unseen.after),
      unseen.before === null ? '·' : percent(unseen.before),
      separability?.value.toFixed(2) ?? '·',
    ]),
  );

const wordTable = ({ words, before, after }: DatasetShift): string =>
  tableText(
    ['word', 'in', 'more frequent in', right('examples'), right('share %'), right('expected %'), right('z')],
    words.map((word) => [
      word.word,
      word.input,
      (word.dataset === 'before' ? before : after).dataset,
      count(word.examples),
      percent(word.share),
      percent(word.expected),
      word.z.toFixed(1),
    ]),
  );
