/**
 * Returns what models would have scored on the datasets that were collected against them. Fits, for
 * one metric, value = model effect + dataset effect by least squares over all other existing cells,
 * with the datasets' weights.
 *
 * @param values models × datasets, row by row; NaN if missing. Own cells are not read.
 * @param own same shape; 1 if the dataset was collected against the model
 * @param weights one per dataset; a dataset of weight 0 takes no part
 * @returns same shape: the fitted values of the own cells, NaN elsewhere. An own cell is also NaN
 *   if the model has no other cell, or if no chain of models connects the model's datasets to this
 *   one.
 */
export function fitOwnCells(values: Float64Array, own: Uint8Array, weights: Float64Array): Float64Array {
  const table: Table = { values, own, weights, datasets: weights.length, models: values.length / weights.length };
  const fitted = new Float64Array(values.length).fill(NaN);
  if (!own.includes(1)) return fitted;

  const effects = datasetEffects(table);
  const component = components(table);
  for (let model = 0; model < table.models; model++) {
    const { level, weight, anchor } = modelEffect(table, model, effects);
    if (weight === 0) continue;

    for (let dataset = 0; dataset < table.datasets; dataset++) {
      const cell = model * table.datasets + dataset;
      const isTied = own[cell] === 1 && component[dataset] === component[anchor] && weights[dataset]! > 0;
      if (isTied) fitted[cell] = level + effects[dataset]!;
    }
  }
  return fitted;
}

interface Table {
  readonly values: Float64Array;
  readonly own: Uint8Array;
  readonly weights: Float64Array;
  readonly models: number;
  readonly datasets: number;
}

/** Returns the weight of a cell in the fit; 0 if it takes no part. */
function weightAt({ values, own, weights, datasets }: Table, model: number, dataset: number): number {
  const cell = model * datasets + dataset;
  return own[cell] === 1 || Number.isNaN(values[cell]) ? 0 : weights[dataset]!;
}

/**
 * Returns the weighted mean of a model's values minus the dataset effects. `anchor` is one of its
 * datasets; −1 if it has none.
 */
function modelEffect(
  table: Table,
  model: number,
  effects: Float64Array,
): { readonly level: number; readonly weight: number; readonly anchor: number } {
  let sum = 0;
  let weight = 0;
  let anchor = -1;
  for (let dataset = 0; dataset < table.datasets; dataset++) {
    const share = weightAt(table, model, dataset);
    if (share === 0) continue;
    sum += share * (table.values[model * table.datasets + dataset]! - effects[dataset]!);
    weight += share;
    anchor = dataset;
  }
  return { level: sum / weight, weight, anchor };
}

/**
 * Returns the dataset effects. Solves the normal equations S b = r after elimination of the model
 * effects, which are the models' mean residuals:
 *
 *     S_de = [d = e] Σ_m w_d − Σ_m w_d w_e / W_m
 *     r_d = Σ_m w_d (x_md − x̄_m)
 *
 * S is a Laplacian: in each component one effect is free and set to 0.
 */
function datasetEffects(table: Table): Float64Array {
  const { models, datasets, values } = table;
  const matrix = new Float64Array(datasets * datasets);
  const right = new Float64Array(datasets);
  const share = new Float64Array(datasets);
  const none = new Float64Array(datasets);
  for (let model = 0; model < models; model++) {
    const { level, weight } = modelEffect(table, model, none);
    if (weight === 0) continue;

    for (let dataset = 0; dataset < datasets; dataset++) share[dataset] = weightAt(table, model, dataset);
    for (let dataset = 0; dataset < datasets; dataset++) {
      const mine = share[dataset]!;
      if (mine === 0) continue;
      right[dataset]! += mine * (values[model * datasets + dataset]! - level);
      matrix[dataset * datasets + dataset]! += mine;
      const scaled = mine / weight;
      for (let other = 0; other < datasets; other++) matrix[dataset * datasets + other]! -= scaled * share[other]!;
    }
  }
  return solve(matrix, right);
}

/** Pivots below this share of the largest diagonal entry belong to free effects. */
const SINGULAR = 1e-10;

/**
 * Solves a symmetric, positive semidefinite system by elimination; a free unknown is 0. Overwrites
 * its arguments.
 */
function solve(matrix: Float64Array, right: Float64Array): Float64Array {
  const size = right.length;
  const largest = right.reduce((before, _, row) => Math.max(before, matrix[row * size + row]!), 0);
  const isFree = (row: number): boolean => !(matrix[row * size + row]! > SINGULAR * largest);
  for (let pivot = 0; pivot < size; pivot++) {
    if (isFree(pivot)) continue;
    for (let row = pivot + 1; row < size; row++) {
      const factor = matrix[row * size + pivot]! / matrix[pivot * size + pivot]!;
      if (factor === 0) continue;
      for (let column = pivot; column < size; column++) {
        matrix[row * size + column]! -= factor * matrix[pivot * size + column]!;
      }
      right[row]! -= factor * right[pivot]!;
    }
  }

  const solution = new Float64Array(size);
  for (let row = size - 1; row >= 0; row--) {
    if (isFree(row)) continue;
    let rest = right[row]!;
    for (let column = row + 1; column < size; column++) rest -= matrix[row * size + column]! * solution[column]!;
    solution[row] = rest / matrix[row * size + row]!;
  }
  return solution;
}

/**
 * Returns, per dataset, the number of its component. A model joins the datasets for which it has
 * values.
 */
function components(table: Table): Int32Array {
  const parent = Int32Array.from({ length: table.datasets }, (_, dataset) => dataset);
  const root = (dataset: number): number => {
    let at = dataset;
    while (parent[at] !== at) at = parent[at]!;
    return at;
  };
  let apart = table.weights.reduce((count, weight) => count + (weight > 0 ? 1 : 0), 0);
  for (let model = 0; model < table.models && apart > 1; model++) {
    let anchor = -1;
    for (let dataset = 0; dataset < table.datasets; dataset++) {
      if (weightAt(table, model, dataset) === 0) continue;
      if (anchor >= 0 && root(dataset) !== root(anchor)) {
        parent[root(dataset)] = root(anchor);
        apart--;
      }
      anchor = dataset;
    }
  }
  return parent.map((_, dataset) => root(dataset));
}
