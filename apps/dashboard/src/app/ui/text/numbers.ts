import { inject, Injectable, LOCALE_ID } from '@angular/core';

/** The unit of a figure, as in the API's `unit`. */
export type Unit = string;

/** The ends of an interval, if they are known. */
interface Interval {
  readonly low?: number | null | undefined;
  readonly high?: number | null | undefined;
}

/**
 * Formats numbers in the user's locale: percentages with one decimal, costs with three significant
 * digits.
 */
@Injectable({ providedIn: 'root' })
export class Numbers {
  private readonly locale = inject(LOCALE_ID);
  private readonly formats = new Map<string, Intl.NumberFormat>();

  /** Formats an integer: 12,400. */
  count(value: number): string {
    return this.format('count', { maximumFractionDigits: 0 }).format(value);
  }

  /** Formats a ratio as a percentage with one decimal, without the percent sign: 57.0. */
  percent(ratio: number): string {
    return this.format('percent', { minimumFractionDigits: 1, maximumFractionDigits: 1 }).format(ratio * 100);
  }

  /**
   * Formats with three significant digits, never in scientific notation: 0.0213, 4.21, 118, 12,400.
   */
  threeDigits(value: number): string {
    if (Math.abs(value) >= 100) return this.count(Number(value.toPrecision(3)));
    return this.format('three', { minimumSignificantDigits: 3, maximumSignificantDigits: 3 }).format(value);
  }

  /** Formats a figure that is not a share, for example saturation or agreement: 0.38. */
  twoDecimals(value: number): string {
    return this.format('two', { minimumFractionDigits: 2, maximumFractionDigits: 2 }).format(value);
  }

  /**
   * Formats a value in the unit of its column, without the unit. CPU seconds per example are shown
   * in milliseconds.
   */
  value(unit: Unit, value: number): string {
    if (unit === 'ratio') return this.percent(value);
    return this.threeDigits(unit === 's/example' ? 1000 * value : value);
  }

  /** Formats a number of bytes with a suitable unit: 1.94 GiB. */
  bytes(bytes: number): string {
    const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];
    const step = bytes < 1 ? 0 : Math.min(units.length - 1, Math.floor(Math.log2(bytes) / 10));
    return `${step === 0 ? this.count(bytes) : this.threeDigits(bytes / 2 ** (10 * step))} ${units[step]!}`;
  }

  /** Formats a duration in milliseconds: 40 s, 12 min, 3 h 20 min. */
  duration(milliseconds: number): string {
    const seconds = milliseconds / 1000;
    if (seconds < 1) return `${this.count(milliseconds)} ms`;
    if (seconds < 90) return `${this.count(seconds)} s`;
    const minutes = Math.round(seconds / 60);
    if (minutes < 90) return `${this.count(minutes)} min`;
    return `${this.count(Math.floor(minutes / 60))} h ${this.count(minutes % 60)} min`;
  }

  /** Formats a difference with its sign, such as `+4.7`, `−4.7` or `0.0`. */
  signed(unit: Unit, value: number): string {
    const size = this.value(unit, Math.abs(value));
    if (value === 0) return size;
    return value > 0 ? `+${size}` : `−${size}`;
  }

  /** Formats half the width of an interval. Empty if there is none. */
  margin(unit: Unit, { low, high }: Interval): string {
    return low == null || high == null ? '' : this.value(unit, (high - low) / 2);
  }

  /** Describes an interval. Empty if there is none. */
  interval(unit: Unit, { low, high }: Interval): string {
    if (low == null || high == null) return '';
    return $localize`95% interval ${this.value(unit, low)}:low: to ${this.value(unit, high)}:high:`;
  }

  /** Formats a value with half the width of its interval, if it has one: 57.0 ± 1.7. */
  withMargin(unit: Unit, { value, ...interval }: Interval & { readonly value: number }): string {
    return [this.value(unit, value), this.margin(unit, interval)].filter((part) => part !== '').join(' ± ');
  }

  private format(name: string, options: Intl.NumberFormatOptions): Intl.NumberFormat {
    const known = this.formats.get(name);
    if (known) return known;
    const made = new Intl.NumberFormat(this.locale, options);
    this.formats.set(name, made);
    return made;
  }
}
