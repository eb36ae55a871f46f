/** The window over which the rate is measured, in milliseconds. */
const WINDOW = 8_000;

interface Reading {
  readonly at: number;
  readonly sent: number;
}

/**
 * Measures the rate of an upload over the last seconds. Bytes that were uploaded before a
 * resumption do not count.
 */
export class UploadRate {
  private readings: readonly Reading[] = [];

  /**
   * Records a reading.
   * @param at Milliseconds of a monotonic clock.
   */
  take(sent: number, at: number): void {
    this.readings = [...this.readings.filter((reading) => at - reading.at <= WINDOW), { at, sent }];
  }

  /** Discards all readings, for example after a pause. */
  restart(): void {
    this.readings = [];
  }

  /** The rate in bytes per second; null while there are too few readings. */
  get bytesPerSecond(): number | null {
    const [first, last] = [this.readings[0], this.readings.at(-1)];
    if (!first || !last || last.at - first.at < 250) return null;
    return ((last.sent - first.sent) / (last.at - first.at)) * 1000;
  }

  /** Estimates the milliseconds until `size` bytes are uploaded; null if the rate is unknown. */
  left(size: number): number | null {
    const rate = this.bytesPerSecond;
    const sent = this.readings.at(-1)?.sent ?? 0;
    return rate ? ((size - sent) / rate) * 1000 : null;
  }
}
