import { Z95 } from '../estimate.js';
import { wilson } from '../intervals/wilson.js';

interface Interval {
  readonly value: number;
  readonly low: number | null;
  readonly high: number | null;
  readonly rounded?: true;
}

/** The mark of a rounded estimate, and its standard error, which follows from the rounded interval. */
interface Rounded {
  readonly standardError: number | null;
  readonly rounded: true;
}

/**
 * Returns an estimate with the precision that its 95% interval supports. The value becomes the
 * nearest multiple of `roundingStep` of half of the interval's width; the ends of the interval move
 * outward to multiples of the same step, so that it still covers whatever it covered before. This is
 * the usual rule to state a result with the digits of its uncertainty (GUM, JCGM 100:2008, 7.2.6).
 * The step is not above the half-width, so rounding moves a value by at most a quarter of the width.
 * Integer ends of a metric's range are multiples of every step below 1 and are never exceeded.
 *
 * A model can make the interval of some metrics as narrow as it likes, for example that of the Brier
 * score by probabilities close to 0.5. The half-width therefore counts as at least 1/n of the largest
 * magnitude in the interval, as if one example more or less were right: a score has no more digits
 * than a count of n examples.
 *
 * An estimate without an interval, or with one of no width, takes the step of `roundedNumber`.
 * A rounded estimate is returned as it is: its wider interval could ask for another step.
 * @param n the number of examples that the estimate is computed from
 */
export function roundedEstimate<T extends Interval>(estimate: T, n: number): T & Rounded {
  if (estimate.rounded) return estimate as T & Rounded;
  const { value, low, high } = estimate;
  const isKnown = low !== null && high !== null;
  const step = roundingStep(isKnown && high > low ? halfWidth(low, high, n) : unknownWidth(value, n));
  const ends = isKnown
    ? { low: multiple(Math.floor(low / size(step)), step), high: multiple(Math.ceil(high / size(step)), step) }
    : { low: null, high: null };
  return {
    ...estimate,
    value: multiple(Math.round(value / size(step)), step),
    ...ends,
    standardError: isKnown ? (ends.high! - ends.low!) / (2 * Z95) : null,
    rounded: true,
  };
}

/**
 * Returns a number without an interval, rounded to a multiple of the step for 1/√n, the order of the
 * standard error of a mean of n scores in [0, 1]. For magnitudes above 1 the step is relative.
 */
export function roundedNumber(value: number, n: number): number {
  const step = roundingStep(unknownWidth(value, n));
  return multiple(Math.round(value / size(step)), step);
}

/** Returns how many of `total` examples were counted, as precisely as Wilson's interval of their share is. */
export function roundedCount(count: number, total: number): number {
  if (total === 0) return count;
  const value = count / total;
  return Math.round(total * roundedEstimate({ value, ...wilson(value, total) }, total).value);
}

const halfWidth = (low: number, high: number, n: number): number =>
  Math.max((high - low) / 2, Math.max(Math.abs(low), Math.abs(high)) / Math.max(1, n));

const unknownWidth = (value: number, n: number): number => Math.max(1, Math.abs(value)) / Math.sqrt(Math.max(1, n));

/** `digit` · 10^`exponent`. */
interface Step {
  readonly digit: 1 | 2 | 5;
  readonly exponent: number;
}

/** Returns the largest of …, 0.1, 0.2, 0.5, 1, 2, 5, … that is not above `width`, which is positive. */
export function roundingStep(width: number): Step {
  const exponent = Math.floor(Math.log10(width));
  const digit = ([5, 2, 1] as const).find((each) => size({ digit: each, exponent }) <= width);
  // the logarithm may be rounded up to the next integer
  return digit ? { digit, exponent } : { digit: 5, exponent: exponent - 1 };
}

const size = (step: Step): number => multiple(1, step);

/** Returns the decimal number that is nearest to `times` steps. */
const multiple = (times: number, { digit, exponent }: Step): number =>
  exponent < 0 ? (times * digit) / 10 ** -exponent + 0 : times * digit * 10 ** exponent + 0;
