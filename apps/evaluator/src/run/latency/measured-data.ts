import type { AssignedDataset } from '@assay/contracts/gateway';
import type { Rng } from '@assay/kernel';
import type { LeasedRun } from '../../gateway/leased-run.js';
import { rowWindows } from '../data/row-windows.js';
import {
  differentRows,
  dividedRows,
  drawRows,
  MEASURED_ROWS,
  type MeasuredRows,
  NEEDED_ROWS,
  variantRow,
} from './measured-rows.js';
import type { SampledDataset, SampledRow } from './timed-sample.js';

/** The number of variants that are requested for each missing row: a few may be equal to inputs of a dataset. */
const REQUESTED = 1.1;

/** Draws the rows of a measurement from datasets. Datasets of which it draws none are left out. */
export async function drawnDatasets(
  run: Pick<LeasedRun, 'inputs'>,
  datasets: readonly AssignedDataset[],
  rng: Rng,
): Promise<SampledDataset[]> {
  const total = datasets.reduce((sum, { examples }) => sum + examples, 0);
  const drawn: SampledDataset[] = [];
  for (const { id } of datasets) {
    const rows = await drawRows(rowWindows(run.inputs(id)), MEASURED_ROWS / total, rng);
    if (rows.length > 0) drawn.push({ id, examples: rows.length, window: { rows } });
  }
  return drawn;
}

/** Divides the different rows of the datasets, filled up with variants of their inputs. */
export async function measuredRows(
  run: Pick<LeasedRun, 'variants'>,
  datasets: readonly SampledDataset[],
  rng: Rng,
): Promise<MeasuredRows> {
  const originals = differentRows(
    datasets.flatMap(({ id, window }) => window.rows.map((row) => ({ evaluation: id, row }))),
  );
  const variants: SampledRow[] = [];
  const missing = NEEDED_ROWS - originals.length;
  const total = datasets.reduce((sum, { examples }) => sum + examples, 0);
  for (const { id, examples } of missing > 0 ? datasets : []) {
    const count = Math.ceil((REQUESTED * missing * examples) / total);
    for await (const instance of run.variants(id, count)) variants.push(variantRow(id, instance));
  }
  return dividedRows(differentRows([...originals, ...variants]), rng);
}
