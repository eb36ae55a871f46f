import { compareCompare, type CompareCompareData } from '@assay/api-client/fetch';
import { Option, type Command } from 'commander';
import { contentOf } from '../connection/api.js';
import { operationQuery } from '../connection/operation-query.js';
import { comparisonMatrixText, comparisonText } from '../format/comparison-text.js';
import { command, sessionOf, type CommonOptions } from './command.js';
import { showTable, TABLE_FORMATS, type TableForm } from './table-format.js';

interface CompareOptions extends CommonOptions {
  readonly asOf?: string;
  readonly format?: TableForm;
}

export function compareCommand(): Command {
  return command('compare', 'compare models example by example')
    .argument('<task>', 'the slug of the task')
    .argument('<models...>', 'IDs or names of 2 to 20 models')
    .option('--as-of <version>', 'use the datasets of this benchmark version, such as v3')
    .addOption(new Option('--format <form>', 'output format for programs and papers').choices(TABLE_FORMATS))
    .addHelpText('after', '\nExample:\n  assay compare nli "Small BERT" "Large BERT"')
    .action(showComparison);
}

async function showComparison(slug: string, models: readonly string[], options: CompareOptions): Promise<void> {
  const { asOf, format } = options;
  const { api, output } = await sessionOf(options);
  const [a, b, ...others] = models;
  const named = others.length === 0 ? { a, b } : { models: models.join(',') };
  if (format === 'csv' || format === 'latex') {
    const query = operationQuery<CompareCompareData>({ ...named, asOf, format });
    await showTable(output, compareCompare({ client: api, path: { slug }, query, parseAs: 'text' }));
    return;
  }
  const query = operationQuery<CompareCompareData>({ ...named, asOf });
  const view = await contentOf(compareCompare({ client: api, path: { slug }, query }));
  const text = 'pairs' in view ? comparisonMatrixText(view) : comparisonText(view);
  output.result(view, format === 'json' ? JSON.stringify(view, null, 2) : text);
}
