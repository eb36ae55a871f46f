import type { MatrixFile, Ranking } from '@assay/scoring/board';
import type { BoardQuery } from './board-query.js';

const MIB = 2 ** 20;

type Filters = Pick<BoardQuery, 'search' | 'kind' | 'owner' | 'sizeFrom' | 'sizeTo' | 'since' | 'until' | 'loop'>;

/**
 * Returns 1 for each model that passes the filters, by its index in the matrix file. A model with
 * an unknown value does not pass a filter on that value.
 */
export function matchingModels(
  { names, owners, kinds, sizes, acceptedAt, matrix }: MatrixFile,
  filters: Filters,
  loop: ReadonlySet<string>,
): Uint8Array {
  const words = searchWords(filters.search);
  const { kind, owner, sizeFrom, sizeTo, since, until } = filters;
  const passes = (model: number): boolean => {
    if (kind !== null && kinds[model] !== kind) return false;
    if (owner !== null && owners[model] !== owner) return false;
    if (filters.loop !== null && loop.has(matrix.ids[model]!) !== (filters.loop === 'in')) return false;
    const size = (sizes[model] ?? NaN) / MIB;
    if (sizeFrom !== null && !(size >= sizeFrom)) return false;
    if (sizeTo !== null && !(size <= sizeTo)) return false;
    const day = acceptedAt[model]?.slice(0, 10) ?? '';
    if (since !== null && !(day >= since)) return false;
    if (until !== null && !(day !== '' && day <= until)) return false;
    if (words.length === 0) return true;
    const text = `${names[model]!} ${owners[model]!}`.toLowerCase();
    return words.every((word) => text.includes(word));
  };
  return Uint8Array.from(names, (_, model) => (passes(model) ? 1 : 0));
}

const searchWords = (search: string): readonly string[] =>
  search
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '');

/**
 * An order of rows other than by rank. `key` takes a model's index in the matrix file and its
 * position in the ranking. NaN sorts last in both directions.
 */
export interface RowOrder {
  readonly key: (model: number, place: number) => number;
  readonly descending: boolean;
}

/**
 * Returns the positions in the ranking that pass the filters, in the order in which they are shown.
 * Ties are in order of rank.
 */
export function shownPlaces(
  { order }: Pick<Ranking, 'order'>,
  matches: Uint8Array,
  sorting: RowOrder | null,
): Int32Array {
  const places = matchingPlaces(order, matches);
  if (!sorting) return places;

  const keys = new Float64Array(order.length);
  for (const place of places) keys[place] = sorting.key(order[place]!, place);
  const direction = sorting.descending ? -1 : 1;
  return places.sort((a, b) => {
    const [first, second] = [keys[a]!, keys[b]!];
    if (first === second) return a - b;
    if (Number.isNaN(first) || Number.isNaN(second))
      return Number.isNaN(first) === Number.isNaN(second) ? a - b : Number.isNaN(first) ? 1 : -1;
    return direction * (first - second);
  });
}

/**
 * Filters the positions in a loop: iterators would create an object for each of 10,000 models at
 * every step of a slider.
 */
function matchingPlaces(order: Int32Array, matches: Uint8Array): Int32Array {
  const places = new Int32Array(order.length);
  let count = 0;
  for (let place = 0; place < order.length; place++) {
    if (matches[order[place]!] === 1) places[count++] = place;
  }
  return places.subarray(0, count);
}
