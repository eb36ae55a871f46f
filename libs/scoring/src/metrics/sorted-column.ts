/** The ascending order of the entries of a column. */
export interface SortedColumn {
  /** Entry numbers, in ascending order of their values. */
  readonly order: Uint32Array;
  /** Per position in the order: 1 if the next entry has another value or does not exist. */
  readonly endsTie: Uint8Array;
}

/**
 * Sorts a column without NaN. Sorts the values alone and then places the entries, which is several
 * times as fast as sorting entries with a comparison function.
 */
export function sortedColumn(column: Float64Array): SortedColumn {
  const n = column.length;
  const values = column.slice().sort();
  const order = new Uint32Array(n);
  const placed = new Uint32Array(n);
  for (let entry = 0; entry < n; entry++) {
    const first = lowerBound(values, column[entry]!);
    order[first + placed[first]!++] = entry;
  }
  const endsTie = new Uint8Array(n);
  for (let place = 0; place < n; place++)
    if (place === n - 1 || values[place] !== values[place + 1]) endsTie[place] = 1;
  return { order, endsTie };
}

/** Returns the first position whose value is not less than `value`. */
function lowerBound(values: Float64Array, value: number): number {
  let low = 0;
  let high = values.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (values[middle]! < value) low = middle + 1;
    else high = middle;
  }
  return low;
}
