import { existsSync, mkdtempSync, renameSync, rmSync, writeFileSync, chmodSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isHere } from '../factories/needed.js';

/** The library of Debian's package `faketime`. */
export const FAKETIME = ['x86_64', 'aarch64']
  .map((machine) => `/usr/lib/${machine}-linux-gnu/faketime/libfaketime.so.1`)
  .find((path) => existsSync(path));

export const hasFaketime = (): boolean => isHere(FAKETIME, "clock that can be moved (Debian's package faketime)");

/**
 * Returns the environment variables of a process whose wall clock is off by this much, in the format of
 * faketime(1): `+1h`.
 */
export const fakeTime = (offset: string): Readonly<Record<string, string>> => ({
  LD_PRELOAD: FAKETIME!,
  FAKETIME: offset,
  FAKETIME_DONT_FAKE_MONOTONIC: '1',
});

/**
 * The wall clock of processes, which a test can set while they run. The monotonic clock is not
 * affected, as with a real change of the clock.
 */
export class MovedClock {
  private readonly folder = mkdtempSync(join(tmpdir(), 'assay-clock-'));
  private readonly file = join(this.folder, 'clock');

  constructor() {
    // PostgreSQL runs as another user
    chmodSync(this.folder, 0o755);
    this.move('+0');
  }

  /** The environment variables of a process that uses this clock. */
  get environment(): Readonly<Record<string, string>> {
    return {
      LD_PRELOAD: FAKETIME!,
      FAKETIME_TIMESTAMP_FILE: this.file,
      FAKETIME_CACHE_DURATION: '1',
      FAKETIME_DONT_FAKE_MONOTONIC: '1',
    };
  }

  /**
   * Sets the offset from the real time, in the format of faketime(1): `+1h`. Processes see it
   * within a second.
   */
  move(by: string): void {
    writeFileSync(`${this.file}.new`, by, { mode: 0o644 });
    renameSync(`${this.file}.new`, this.file);
  }

  remove(): void {
    rmSync(this.folder, { recursive: true });
  }
}
