// Kernel ridge regression: the number of unknowns is that of the examples, however large the
// feature space.

/**
 * Solves kernel ridge regression.
 * @param {readonly Float64Array[]} kernel of all pairs of examples: the lower triangle, row by row;
 *   overwritten
 * @param {readonly (readonly number[])[]} targets one list per output, one number per example
 * @param {number} penalty of the squared weights
 * @returns {Float64Array[]} the share of each example in the solution, per output
 */
export function ridge(kernel, targets, penalty) {
  kernel.forEach((row, index) => (row[index] += penalty));
  const factor = cholesky(kernel);
  return targets.map((target) => solved(factor, target));
}

/** Computes the lower triangle L of a positive definite matrix LLᵀ in place. */
function cholesky(rows) {
  rows.forEach((row, index) => {
    for (let column = 0; column <= index; column += 1) {
      let sum = row[column];
      for (let inner = 0; inner < column; inner += 1) sum -= row[inner] * rows[column][inner];
      row[column] = column === index ? Math.sqrt(sum) : sum / rows[column][column];
    }
  });
  return rows;
}

function solved(factor, target) {
  const values = Float64Array.from(target);
  for (let row = 0; row < values.length; row += 1) {
    for (let column = 0; column < row; column += 1) values[row] -= factor[row][column] * values[column];
    values[row] /= factor[row][row];
  }
  for (let row = values.length - 1; row >= 0; row -= 1) {
    for (let below = row + 1; below < values.length; below += 1) values[row] -= factor[below][row] * values[below];
    values[row] /= factor[row][row];
  }
  return values;
}
