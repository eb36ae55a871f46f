type Values = Uint8Array | Int32Array | Float64Array;

/** A typed array that grows as values are pushed. */
export class GrowableColumn<T extends Values> {
  private values: T;
  private used = 0;

  /**
   * @param make returns a zeroed array of a length, for example
   *   `(length) => new Int32Array(length)`
   */
  constructor(private readonly make: (length: number) => T) {
    this.values = make(16);
  }

  get length(): number {
    return this.used;
  }

  push(value: number): void {
    if (this.used === this.values.length) this.grow();
    this.values[this.used++] = value;
  }

  at(index: number): number | undefined {
    return index < this.used ? this.values[index] : undefined;
  }

  /**
   * Returns the values pushed so far without copying them. The view is invalid after the next push.
   */
  view(): T {
    return this.values.subarray(0, this.used) as T;
  }

  private grow(): void {
    const wider = this.make(Math.ceil(this.values.length * 1.5));
    wider.set(this.values);
    this.values = wider;
  }
}

export const bytes = (): GrowableColumn<Uint8Array> => new GrowableColumn((length) => new Uint8Array(length));
export const integers = (): GrowableColumn<Int32Array> => new GrowableColumn((length) => new Int32Array(length));
export const numbers = (): GrowableColumn<Float64Array> => new GrowableColumn((length) => new Float64Array(length));
