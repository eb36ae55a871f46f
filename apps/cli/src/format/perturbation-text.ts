import type { PerturbedVersion } from '@assay/api-client/fetch';
import { count } from './numbers.js';
import { right, tableText } from './table.js';

/**
 * Formats the perturbed versions of a dataset: the number of variants of each transform, and the
 * result of their validation by people.
 */
export function perturbationsText(versions: readonly PerturbedVersion[]): string {
  return versions
    .map((version) => {
      const { dataset, perturbation, version: number, examples, status, own } = version;
      const made = own ? "the owner's pairs" : 'generated';
      return (
        `${perturbation} of ${dataset} v${number} · ${count(examples)} variants, ${made}, ${status}\n` +
        transformTable(version)
      );
    })
    .join('\n\n');
}

const transformTable = ({ transforms }: PerturbedVersion): string =>
  tableText(
    ['  transform', right('variants'), right('validated'), right('kept their label'), 'ranks'],
    transforms.map(({ name, variants, validated, kept, ranks }) => [
      `  ${name}`,
      count(variants),
      count(validated),
      validated === 0 ? '·' : `${count(kept)} (${((kept / validated) * 100).toFixed(0)}%)`,
      ranks ? 'yes' : 'no: too few keep their label',
    ]),
  );
