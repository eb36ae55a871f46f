export type ModelKind = 'container' | 'onnx' | 'predictions';

/** The column that rows are sorted by, and the direction. */
export interface Sorting {
  readonly by: string;
  readonly descending: boolean;
}

/** The state of the leaderboard as the reader chose it. The URL leaves out default values. */
export interface BoardQuery {
  /** Weights by metric that replace those of the task. */
  readonly weights: Readonly<Record<string, number>>;
  /** Weights by dataset that replace those of the task. The task's weights sum to 1. */
  readonly datasets: Readonly<Record<string, number>>;
  /** A benchmark version (`v3`), a board revision (`r17`) or a time. Null: now. */
  readonly asOf: string | null;
  readonly amrs: 'official' | 'live';
  /** How own cells are treated. Null: as the task sets it. */
  readonly ownRounds: 'adjust' | 'count' | null;
  readonly exposure: 'clean' | null;
  /** The ID or name of a model that the rows are compared with, or `previous`: their previous benchmark version. */
  readonly against: string | null;
  /** Column IDs, see `board-columns.ts`. Null: the default columns. */
  readonly columns: readonly string[] | null;
  readonly search: string;
  readonly kind: ModelKind | null;
  readonly owner: string | null;
  /** The size of the artifact in MiB. */
  readonly sizeFrom: number | null;
  readonly sizeTo: number | null;
  /** Days in ISO 8601: submitted on `since` or later, on `until` or earlier. */
  readonly since: string | null;
  readonly until: string | null;
  readonly loop: 'in' | 'out' | null;
  /** Null: by rank. */
  readonly sort: Sorting | null;
  /** The ID of the model whose details are open. */
  readonly open: string | null;
  /** Metrics of the radar chart, and IDs of its models. Null: the default choice. */
  readonly axes: readonly string[] | null;
  readonly models: readonly string[] | null;
  /** Metrics of the scatter plot. Null: performance against the first cost. */
  readonly x: string | null;
  readonly y: string | null;
}

/**
 * The format of a part of the state in the URL. `write` returns undefined for the default value,
 * and `read` for invalid text, which then means the default.
 */
interface Field<T> {
  readonly name: string;
  /** The default value. */
  readonly plain: T;
  readonly write: (value: T) => string | undefined;
  readonly read: (text: string) => T | undefined;
}

const weights = (name: string): Field<Readonly<Record<string, number>>> => ({
  name,
  plain: {},
  write: (value) => weightsText(value),
  read: (text) => {
    const parts = text.split(',').map((part) => /^(.+):([^:]+)$/s.exec(part));
    const known = parts.flatMap((part) => (part ? [[part[1]!, Number(part[2])] as const] : []));
    return Object.fromEntries(known.filter(([, weight]) => weight >= 0 && weight < Infinity));
  },
});

const text = <T extends string | null>(name: string, plain: NoInfer<T>): Field<T> => ({
  name,
  plain,
  write: (value) => value || undefined,
  read: (given) => (given === '' ? undefined : (given as T)),
});

const oneOf = <T extends string>(name: string, values: readonly T[]): Field<T | null> => ({
  name,
  plain: null,
  write: (value) => value ?? undefined,
  read: (given) => values.find((value) => value === given),
});

const list = (name: string): Field<readonly string[] | null> => ({
  name,
  plain: null,
  write: (value) => value?.join(','),
  read: (given) => given.split(',').filter((each) => each !== ''),
});

const amount = (name: string): Field<number | null> => ({
  name,
  plain: null,
  write: (value) => (value === null ? undefined : String(value)),
  read: (given) => (given !== '' && Number(given) >= 0 && Number(given) < Infinity ? Number(given) : undefined),
});

const day = (name: string): Field<string | null> => ({
  name,
  plain: null,
  write: (value) => value ?? undefined,
  read: (given) => (/^\d{4}-\d\d-\d\d$/.test(given) ? given : undefined),
});

const FIELDS: { readonly [K in keyof BoardQuery]: Field<BoardQuery[K]> } = {
  weights: weights('weights'),
  datasets: weights('datasets'),
  asOf: text('asOf', null),
  amrs: {
    name: 'amrs',
    plain: 'official',
    write: (value) => (value === 'live' ? value : undefined),
    read: (given) => (given === 'live' ? given : undefined),
  },
  ownRounds: oneOf('ownRounds', ['adjust', 'count']),
  exposure: oneOf('exposure', ['clean']),
  against: text('against', null),
  columns: list('cols'),
  search: text('q', ''),
  kind: oneOf<ModelKind>('kind', ['container', 'onnx', 'predictions']),
  owner: text('owner', null),
  sizeFrom: amount('sizeFrom'),
  sizeTo: amount('sizeTo'),
  since: day('since'),
  until: day('until'),
  loop: oneOf('loop', ['in', 'out']),
  sort: {
    name: 'sort',
    plain: null,
    write: (value) => (value ? `${value.descending ? '-' : ''}${value.by}` : undefined),
    read: (given) => ({ by: given.replace(/^-/, ''), descending: given.startsWith('-') }),
  },
  open: text('open', null),
  axes: list('axes'),
  models: list('models'),
  x: text('x', null),
  y: text('y', null),
};

const KEYS = Object.keys(FIELDS) as (keyof BoardQuery)[];

/** The state of a board about which the URL says nothing. */
export const PLAIN_QUERY = Object.fromEntries(KEYS.map((key) => [key, FIELDS[key].plain])) as unknown as BoardQuery;

/** Parses the state from query parameters. */
export function parseBoardQuery(parameters: { get(name: string): string | null }): BoardQuery {
  const read = KEYS.flatMap((key) => {
    const given = parameters.get(FIELDS[key].name);
    const value = given === null ? undefined : FIELDS[key].read(given);
    return value === undefined ? [] : [[key, value] as const];
  });
  return { ...PLAIN_QUERY, ...Object.fromEntries(read) };
}

/** Returns the query parameters of a state, without default values. */
export function writeBoardQuery(query: BoardQuery): Readonly<Record<string, string>> {
  return Object.fromEntries(
    KEYS.flatMap((key) => {
      const written = (FIELDS[key] as Field<unknown>).write(query[key]);
      return written === undefined ? [] : [[FIELDS[key].name, written]];
    }),
  );
}

/**
 * Formats weights as the API takes them, such as `accuracy:4,memory:0.5`. Undefined if there are
 * none. Three significant digits are more than a slider has.
 */
export function weightsText(weights: Readonly<Record<string, number>>): string | undefined {
  const parts = Object.entries(weights).map(([name, weight]) => `${name}:${Number(weight.toPrecision(3))}`);
  return parts.length > 0 ? parts.join(',') : undefined;
}

/** The part of a state that changes scores and ranks, as parameters of the API. */
export function weighingOf(query: BoardQuery) {
  const [weights, datasets] = [weightsText(query.weights), weightsText(query.datasets)];
  return {
    ...(weights !== undefined && { weights }),
    ...(datasets !== undefined && { datasets }),
    ...(query.amrs === 'live' && { amrs: query.amrs }),
    ...(query.ownRounds && { ownRounds: query.ownRounds }),
    ...(query.exposure && { exposure: query.exposure }),
  };
}

/** Returns whether the board is weighted differently from the task's official board. */
export const isCustom = (query: BoardQuery): boolean => Object.keys(weighingOf(query)).length > 0;

export const FILTERS = ['search', 'kind', 'owner', 'sizeFrom', 'sizeTo', 'since', 'until', 'loop'] as const;

/** Returns the number of active filters, including the search. */
export const filterCount = (query: BoardQuery): number =>
  FILTERS.filter((key) => query[key] !== PLAIN_QUERY[key]).length;

/** The part of a state that turns off all filters. */
export const NO_FILTERS: Partial<BoardQuery> = Object.fromEntries(FILTERS.map((key) => [key, PLAIN_QUERY[key]]));
