import { compareCompare, type CompareCompareData } from '@assay/api-client/fetch';
import { Option, type Command } from 'commander';
import { contentOf, operationQuery } from '../connection/api.js';
import { comparisonMatrixText, comparisonText } from '../format/comparison-text.js';
import { commandForTask, connected, type Session, showTable, TABLE_FORMATS, type TableForm } from './command.js';

interface CompareOptions {
  readonly asOf?: string;
  readonly format?: TableForm;
}

export const compareCommand = (): Command =>
  commandForTask('compare', 'compare models example by example')
    .argument('<models...>', 'IDs or names of 2 to 20 models')
    .option('--as-of <version>', 'use the datasets of this benchmark version, such as v3')
    .addOption(new Option('--format <form>', 'output format for programs and papers').choices(TABLE_FORMATS))
    .addHelpText('after', '\nExample:\n  assay compare nli "Small BERT" "Large BERT"')
    .action(connected(showComparison));

async function showComparison(
  { api, output }: Session,
  slug: string,
  models: readonly string[],
  { asOf, format }: CompareOptions,
): Promise<void> {
  const [a, b, ...others] = models;
  const named = others.length === 0 ? { a, b } : { models: models.join(',') };
  if (format === 'csv' || format === 'latex') {
    const query = operationQuery<CompareCompareData>({ ...named, asOf, format });
    return showTable(output, compareCompare({ client: api, path: { slug }, query, parseAs: 'text' }));
  }
  const query = operationQuery<CompareCompareData>({ ...named, asOf });
  const view = await contentOf(compareCompare({ client: api, path: { slug }, query }));
  const text = 'pairs' in view ? comparisonMatrixText(view) : comparisonText(view);
  output.result(view, format === 'json' ? JSON.stringify(view, null, 2) : text);
}
