import { usageFailure } from '../command-failure.js';

/**
 * Parses `accuracy:4,memory:1` into an object. The last colon separates name and value, so
 * `worst:genre:2` gives `worst:genre` the weight 2.
 *
 * @throws CommandFailure if an entry is not of the form name:weight
 */
export function nameValues(text: string | undefined): Record<string, number> {
  const found = new Map<string, number>();
  for (const part of (text ?? '').split(',').filter((piece) => piece.trim() !== '')) {
    const [name = '', value = ''] = part.split(/:(?=[^:]*$)/).map((piece) => piece.trim());
    const weight = Number(value);
    if (name === '' || value === '' || !Number.isFinite(weight)) {
      throw usageFailure(`"${part.trim()}" is not of the form name:weight, such as accuracy:4.`);
    }
    found.set(name, weight);
  }
  return Object.fromEntries(found);
}

/** Parses `a, b` into a list without duplicates or empty entries. */
export const names = (text: string): string[] => [
  ...new Set(
    text
      .split(',')
      .map((name) => name.trim())
      .filter((name) => name !== ''),
  ),
];
