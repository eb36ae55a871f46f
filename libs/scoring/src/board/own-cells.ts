/** The estimates of own cells. Arrays have the shape of the values, and NaN elsewhere. */
export interface OwnFit {
  readonly values: Float64Array;
  /**
   * Computes the standard errors that model and dataset effects leave, σ √(1 + leverage), where σ² is
   * the interaction variance between models and datasets. They do not include the error of the scores
   * that were fitted. NaN if there are too few cells to estimate σ². They take several times as long as
   * the values.
   */
  errors(): Float64Array;
}

/**
 * Returns what models would have scored on the datasets that were collected against them. Fits, for
 * one metric, value = model effect + dataset effect by least squares over all other existing cells,
 * with the datasets' weights.
 *
 * The weights of the cells have the mean 1 in the interaction variance and in the leverage, so that the
 * scale of the weights has no effect: σ² = Σ w r² / (cells − models − datasets + components), with the
 * residuals r. The leverage of an own cell is x' (X' W X)⁺ x, with the indicators of the model and the
 * dataset in x.
 *
 * @param values models × datasets, row by row; NaN if missing. Own cells are not read.
 * @param own same shape; 1 if the dataset was collected against the model
 * @param weights one per dataset; a dataset of weight 0 takes no part
 * @returns an own cell is NaN if the model has no other cell, or if no chain of models connects the
 *   model's datasets to this one
 */
export function fitOwnCells(values: Float64Array, own: Uint8Array, weights: Float64Array): OwnFit {
  const fitted = new Float64Array(values.length).fill(NaN);
  if (!own.includes(1)) return { values: fitted, errors: () => fitted.slice() };

  const table = tableOf(values, own, weights);
  const { matrix, right } = normalEquations(table);
  const effects = solve(matrix.slice(), right);
  const component = components(table);
  const levels = Array.from({ length: table.models }, (_, model) => modelEffect(table, model, effects));
  for (const [model, { level, anchor }] of levels.entries()) {
    if (anchor < 0) continue;
    for (let dataset = 0; dataset < table.datasets; dataset++) {
      const cell = model * table.datasets + dataset;
      const isTied = own[cell] === 1 && component[dataset] === component[anchor] && weights[dataset]! > 0;
      if (isTied) fitted[cell] = level + effects[dataset]!;
    }
  }
  const errors = (): Float64Array => {
    const interaction = interactionOf(table, effects, levels, component);
    return errorsOf(table, { fitted, levels, interaction, inverse: groundedInverse(matrix.slice(), weights.length) });
  };
  return { values: fitted, errors };
}

/** Returns the standard errors of the fitted cells. */
function errorsOf(
  table: Table,
  {
    fitted,
    levels,
    interaction: { variance, meanWeight },
    inverse,
  }: {
    readonly fitted: Float64Array;
    readonly levels: readonly ModelEffect[];
    readonly interaction: Interaction;
    readonly inverse: Float64Array;
  },
): Float64Array {
  const errors = new Float64Array(fitted.length).fill(NaN);
  for (const [model, { weight }] of levels.entries()) {
    const first = model * table.datasets;
    if (!hasFitted(fitted, first, table.datasets)) continue;
    const leverages = leveragesOf(table, model, weight, inverse);
    for (let dataset = 0; dataset < table.datasets; dataset++) {
      if (Number.isNaN(fitted[first + dataset])) continue;
      errors[first + dataset] = Math.sqrt(variance * (1 + meanWeight * leverages[dataset]!));
    }
  }
  return errors;
}

function hasFitted(fitted: Float64Array, first: number, datasets: number): boolean {
  for (let cell = first; cell < first + datasets; cell++) if (!Number.isNaN(fitted[cell])) return true;
  return false;
}

interface Table {
  readonly values: Float64Array;
  /** Models × datasets: the weight of a cell in the fit; 0 if it takes no part. */
  readonly shares: Float64Array;
  readonly weights: Float64Array;
  readonly models: number;
  readonly datasets: number;
}

function tableOf(values: Float64Array, own: Uint8Array, weights: Float64Array): Table {
  const datasets = weights.length;
  const shares = new Float64Array(values.length);
  for (let cell = 0; cell < shares.length; cell++) {
    if (own[cell] !== 1 && !Number.isNaN(values[cell])) shares[cell] = weights[cell % datasets]!;
  }
  return { values, shares, weights, datasets, models: values.length / datasets };
}

interface ModelEffect {
  readonly level: number;
  /** The sum of the weights of its cells. */
  readonly weight: number;
  readonly anchor: number;
}

/**
 * Returns the weighted mean of a model's values minus the dataset effects. `anchor` is one of its
 * datasets; −1 if it has none.
 */
function modelEffect(table: Table, model: number, effects: Float64Array): ModelEffect {
  let sum = 0;
  let weight = 0;
  let anchor = -1;
  for (let dataset = 0; dataset < table.datasets; dataset++) {
    const share = table.shares[model * table.datasets + dataset]!;
    if (share === 0) continue;
    sum += share * (table.values[model * table.datasets + dataset]! - effects[dataset]!);
    weight += share;
    anchor = dataset;
  }
  return { level: sum / weight, weight, anchor };
}

/**
 * Returns the normal equations of the dataset effects, S b = r, after elimination of the model
 * effects, which are the models' mean residuals:
 *
 *     S_de = [d = e] Σ_m w_d − Σ_m w_d w_e / W_m
 *     r_d = Σ_m w_d (x_md − x̄_m)
 *
 * S is a Laplacian: in each component one effect is free and set to 0.
 */
function normalEquations(table: Table): { readonly matrix: Float64Array; readonly right: Float64Array } {
  const { models, datasets, values, shares } = table;
  const matrix = new Float64Array(datasets * datasets);
  const right = new Float64Array(datasets);
  const none = new Float64Array(datasets);
  for (let model = 0; model < models; model++) {
    const { level, weight } = modelEffect(table, model, none);
    if (weight === 0) continue;

    const share = shares.subarray(model * datasets, (model + 1) * datasets);
    for (let dataset = 0; dataset < datasets; dataset++) {
      const mine = share[dataset]!;
      if (mine === 0) continue;
      right[dataset]! += mine * (values[model * datasets + dataset]! - level);
      matrix[dataset * datasets + dataset]! += mine;
      const scaled = mine / weight;
      for (let other = 0; other < datasets; other++) matrix[dataset * datasets + other]! -= scaled * share[other]!;
    }
  }
  return { matrix, right };
}

interface Interaction {
  /** The variance σ²; NaN without degrees of freedom. */
  readonly variance: number;
  /** The mean weight of the fitted cells. */
  readonly meanWeight: number;
}

/** Estimates the interaction variance from the residuals of the fit. */
function interactionOf(
  table: Table,
  effects: Float64Array,
  levels: readonly ModelEffect[],
  component: Int32Array,
): Interaction {
  const { datasets, values } = table;
  const fitted = new Uint8Array(datasets);
  let [cells, rows, sum, squares] = [0, 0, 0, 0];
  for (const [model, { level, weight }] of levels.entries()) {
    if (weight === 0) continue;
    rows++;
    for (let dataset = 0; dataset < datasets; dataset++) {
      const share = table.shares[model * table.datasets + dataset]!;
      if (share === 0) continue;
      cells++;
      sum += share;
      fitted[dataset] = 1;
      squares += share * (values[model * datasets + dataset]! - level - effects[dataset]!) ** 2;
    }
  }
  const columns = component.filter((_, dataset) => fitted[dataset] === 1);
  const freedom = cells - rows - columns.length + new Set(columns).size;
  const meanWeight = sum / cells;
  return { variance: freedom > 0 ? squares / meanWeight / freedom : NaN, meanWeight };
}

/**
 * Returns the leverages of a model's cells by dataset, in units of the weights: with the shares
 * p = w / W of the model's cells, 1 / W + (e_d − p)' S⁻ (e_d − p).
 *
 * @param total the weight W of the model's cells
 * @param inverse a generalised inverse S⁻
 */
function leveragesOf(table: Table, model: number, total: number, inverse: Float64Array): Float64Array {
  const { datasets } = table;
  const shares = new Float64Array(datasets);
  for (let dataset = 0; dataset < datasets; dataset++)
    shares[dataset] = table.shares[model * table.datasets + dataset]! / total;
  const leverages = new Float64Array(datasets);
  let square = 0;
  for (let dataset = 0; dataset < datasets; dataset++) {
    let product = 0;
    for (let other = 0; other < datasets; other++) product += shares[other]! * inverse[dataset * datasets + other]!;
    leverages[dataset] = 1 / total + inverse[dataset * datasets + dataset]! - 2 * product;
    square += shares[dataset]! * product;
  }
  for (let dataset = 0; dataset < datasets; dataset++) leverages[dataset]! += square;
  return leverages;
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
 * Returns a generalised inverse of a symmetric, positive semidefinite matrix by elimination; the rows
 * and columns of free unknowns are 0. Overwrites its argument.
 */
function groundedInverse(matrix: Float64Array, size: number): Float64Array {
  const inverse = new Float64Array(size * size);
  for (let row = 0; row < size; row++) inverse[row * size + row] = 1;
  const largest = Float64Array.from({ length: size }, (_, row) => matrix[row * size + row]!).reduce(
    (before, each) => Math.max(before, each),
    0,
  );
  const free: number[] = [];
  for (let pivot = 0; pivot < size; pivot++) {
    const diagonal = matrix[pivot * size + pivot]!;
    if (!(diagonal > SINGULAR * largest)) {
      free.push(pivot);
      continue;
    }
    for (let column = 0; column < size; column++) {
      matrix[pivot * size + column]! /= diagonal;
      inverse[pivot * size + column]! /= diagonal;
    }
    for (let row = 0; row < size; row++) {
      const factor = matrix[row * size + pivot]!;
      if (row === pivot || factor === 0) continue;
      for (let column = 0; column < size; column++) {
        matrix[row * size + column]! -= factor * matrix[pivot * size + column]!;
        inverse[row * size + column]! -= factor * inverse[pivot * size + column]!;
      }
    }
  }
  for (const row of free) inverse.fill(0, row * size, (row + 1) * size);
  return inverse;
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
      if (table.shares[model * table.datasets + dataset]! === 0) continue;
      if (anchor >= 0 && root(dataset) !== root(anchor)) {
        parent[root(dataset)] = root(anchor);
        apart--;
      }
      anchor = dataset;
    }
  }
  return parent.map((_, dataset) => root(dataset));
}
