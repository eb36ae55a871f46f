/** Milliseconds over which the speed is taken. */
const WINDOW = 8_000;

interface Reading {
  readonly at: number;
  readonly sent: number;
}

/** How fast an upload is, by what was sent in the last seconds: what was there before it went on is no speed. */
export class UploadRate {
  private readings: readonly Reading[] = [];

  /** @param at milliseconds of any clock that does not jump */
  take(sent: number, at: number): void {
    this.readings = [...this.readings.filter((reading) => at - reading.at <= WINDOW), { at, sent }];
  }

  /** As after a pause: what follows has a speed of its own. */
  restart(): void {
    this.readings = [];
  }

  /** Bytes a second; null before that can be told. */
  get bytesPerSecond(): number | null {
    const [first, last] = [this.readings[0], this.readings.at(-1)];
    if (!first || !last || last.at - first.at < 250) return null;
    return ((last.sent - first.sent) / (last.at - first.at)) * 1000;
  }

  /** Milliseconds until `size` bytes are there; null where that can't be told. */
  left(size: number): number | null {
    const rate = this.bytesPerSecond;
    const sent = this.readings.at(-1)?.sent ?? 0;
    return rate ? ((size - sent) / rate) * 1000 : null;
  }
}
