/** Numbers distinct keys from 0, in order of appearance. */
export class Numbering<Key> extends Map<Key, number> {
  /** Returns the number of a key. Equal keys have the same number. */
  of(key: Key): number {
    let number = this.get(key);
    if (number === undefined) {
      number = this.size;
      this.set(key, number);
    }
    return number;
  }
}

/**
 * Numbers the values of a column by their first occurrence.
 * @param numbers has -1 for each possible value, and afterwards the numbers of those that occur
 */
export function numberedIn(
  numbers: Int32Array,
  values: Int32Array,
): { readonly of: Int32Array; readonly occurring: readonly number[] } {
  const occurring: number[] = [];
  const of = new Int32Array(values.length);
  for (let index = 0; index < values.length; index++) {
    const value = values[index]!;
    if (numbers[value] === -1) numbers[value] = occurring.push(value) - 1;
    of[index] = numbers[value]!;
  }
  return { of, occurring };
}
