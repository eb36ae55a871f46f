import type { OpenRound } from '@assay/api-client/fetch';
import { InvalidArgumentError } from 'commander';
import { usageFailure } from '../command-failure.js';
import { defined } from '../connection/api.js';

/** The options for the conditions that close a round automatically. */
export interface TurnOptions {
  readonly examples?: number;
  readonly validated?: number;
  readonly until?: string;
  readonly saturation?: number;
}

export function wholeNumber(text: string): number {
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('Expected a whole number, 1 or more.');
}

/** Parses a share such as `0.6` or `60%`: above 0, at most 1. */
export function fraction(text: string): number {
  const value = text.endsWith('%') ? Number(text.slice(0, -1)) / 100 : Number(text);
  if (text.trim() !== '' && value > 0 && value <= 1) return value;
  throw new InvalidArgumentError('Expected a share, such as 0.6 or 60%.');
}

/** Parses shares such as `0.8,0.1,0.1`. The server checks that they sum to 1. */
export function sharesOf(text: string): { train: number; dev: number; test: number } {
  const parts = text.split(',').map((part) => (part.trim() === '' ? NaN : Number(part)));
  const [train, dev, test] = parts;
  if (parts.length !== 3 || parts.some(Number.isNaN)) {
    throw new InvalidArgumentError('Expected three shares, for train, dev and test, such as 0.8,0.1,0.1.');
  }
  return { train: train!, dev: dev!, test: test! };
}

/**
 * Parses `accuracy:4,memory:1` into an object. The last colon separates name and value, so
 * `worst:genre:2` gives `worst:genre` the weight 2.
 *
 * @throws CommandFailure if an entry is not of the form name:weight
 */
export const nameValues = (text = ''): Record<string, number> =>
  Object.fromEntries(
    names(text).map((part) => {
      const [name = '', value = ''] = part.split(/:(?=[^:]*$)/).map((piece) => piece.trim());
      const weight = Number(value);
      if (name !== '' && value !== '' && Number.isFinite(weight)) return [name, weight];
      throw usageFailure(`"${part}" is not of the form name:weight, such as accuracy:4.`);
    }),
  );

/** Parses `a, b` into a list without duplicates or empty entries. */
export const names = (text: string): string[] => [
  ...new Set(
    text
      .split(',')
      .map((name) => name.trim())
      .filter((name) => name !== ''),
  ),
];

/** @returns undefined if no option is given; the task's own rule then applies */
export function turnOf({ examples, validated, until, saturation }: TurnOptions): OpenRound['turn'] {
  const closesAt = until === undefined ? undefined : instantOf(until, 'Give a time such as 2026-12-24T18:00Z.');
  const turn = defined({ examples, validated, closesAt, saturation });
  return Object.keys(turn).length === 0 ? undefined : turn;
}

/**
 * Returns a time in ISO 8601. A date without a time means its first instant, in UTC.
 *
 * @param hint says which times are valid
 * @throws CommandFailure if the text is not a time
 */
export function instantOf(text: string, hint: string): string {
  const time = new Date(text);
  if (Number.isNaN(time.getTime())) throw usageFailure(`"${text}" is not a valid time. ${hint}`);
  return time.toISOString();
}
