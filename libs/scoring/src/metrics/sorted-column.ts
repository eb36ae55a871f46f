/** The entries of a column in ascending order. */
export interface SortedColumn {
  /** Entry numbers. */
  readonly order: Uint32Array;
  /** Per place in the order: 1 where the next entry has another value, or there is none. */
  readonly endsTie: Uint8Array;
}

/** Sorts the values alone, then places the entries: several times as fast as sorting entries by a function. No value may be NaN. */
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

/** The first place whose value is not less. */
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
