export type ModelKind = 'container' | 'onnx' | 'predictions';

/** A column that rows are sorted by, and which way. */
export interface Sorting {
  readonly by: string;
  readonly descending: boolean;
}

/** Every state of the board that a reader chose. What is as it always is, is left out of the address. */
export interface BoardQuery {
  /** By metric, instead of the task's. */
  readonly weights: Readonly<Record<string, number>>;
  /** By dataset, instead of the task's; on the scale on which the task's sum to 1. */
  readonly datasets: Readonly<Record<string, number>>;
  /** `v3`, `r17` or a time; null: now. */
  readonly asOf: string | null;
  readonly amrs: 'official' | 'live';
  /** Null: as the task says. */
  readonly ownRounds: 'adjust' | 'count' | null;
  readonly exposure: 'clean' | null;
  /** Ids of `board-columns.ts`; null: those that count. */
  readonly columns: readonly string[] | null;
  readonly search: string;
  readonly kind: ModelKind | null;
  readonly owner: string | null;
  /** Of the artifact, in MiB. */
  readonly sizeFrom: number | null;
  readonly sizeTo: number | null;
  /** Days, ISO 8601: submitted on the first or later, on the second or before. */
  readonly since: string | null;
  readonly until: string | null;
  readonly loop: 'in' | 'out' | null;
  /** Null: by rank. */
  readonly sort: Sorting | null;
  /** Id of the model whose row is open. */
  readonly open: string | null;
  /** Metrics of the radar, and ids of the models in it; null: those chosen by themselves. */
  readonly axes: readonly string[] | null;
  readonly models: readonly string[] | null;
  /** Metrics of the scatter; null: performance against the first cost. */
  readonly x: string | null;
  readonly y: string | null;
}

export const PLAIN_QUERY: BoardQuery = {
  weights: {},
  datasets: {},
  asOf: null,
  amrs: 'official',
  ownRounds: null,
  exposure: null,
  columns: null,
  search: '',
  kind: null,
  owner: null,
  sizeFrom: null,
  sizeTo: null,
  since: null,
  until: null,
  loop: null,
  sort: null,
  open: null,
  axes: null,
  models: null,
  x: null,
  y: null,
};

/** How a part of the state is written in the address; undefined: as it always is. What can't be read is as it always is. */
interface Field<T> {
  readonly name: string;
  readonly write: (value: T) => string | undefined;
  readonly read: (text: string) => T | undefined;
}

const weights = (name: string): Field<Readonly<Record<string, number>>> => ({
  name,
  write: (value) => weightsText(value),
  read: (text) => {
    const parts = text.split(',').map((part) => /^(.+):([^:]+)$/s.exec(part));
    const known = parts.flatMap((part) => (part ? [[part[1]!, Number(part[2])] as const] : []));
    return Object.fromEntries(known.filter(([, weight]) => weight >= 0 && weight < Infinity));
  },
});

const text = <T extends string | null>(name: string): Field<T> => ({
  name,
  write: (value) => value || undefined,
  read: (given) => (given === '' ? undefined : (given as T)),
});

const oneOf = <T extends string>(name: string, values: readonly T[]): Field<T | null> => ({
  name,
  write: (value) => value ?? undefined,
  read: (given) => values.find((value) => value === given),
});

const list = (name: string): Field<readonly string[] | null> => ({
  name,
  write: (value) => value?.join(','),
  read: (given) => given.split(',').filter((each) => each !== ''),
});

const amount = (name: string): Field<number | null> => ({
  name,
  write: (value) => (value === null ? undefined : String(value)),
  read: (given) => (given !== '' && Number(given) >= 0 && Number(given) < Infinity ? Number(given) : undefined),
});

const day = (name: string): Field<string | null> => ({
  name,
  write: (value) => value ?? undefined,
  read: (given) => (/^\d{4}-\d\d-\d\d$/.test(given) ? given : undefined),
});

const FIELDS: { readonly [K in keyof BoardQuery]: Field<BoardQuery[K]> } = {
  weights: weights('weights'),
  datasets: weights('datasets'),
  asOf: text('asOf'),
  amrs: {
    name: 'amrs',
    write: (value) => (value === 'live' ? value : undefined),
    read: (given) => (given === 'live' ? given : undefined),
  },
  ownRounds: oneOf('ownRounds', ['adjust', 'count']),
  exposure: oneOf('exposure', ['clean']),
  columns: list('cols'),
  search: text('q'),
  kind: oneOf<ModelKind>('kind', ['container', 'onnx', 'predictions']),
  owner: text('owner'),
  sizeFrom: amount('sizeFrom'),
  sizeTo: amount('sizeTo'),
  since: day('since'),
  until: day('until'),
  loop: oneOf('loop', ['in', 'out']),
  sort: {
    name: 'sort',
    write: (value) => (value ? `${value.descending ? '-' : ''}${value.by}` : undefined),
    read: (given) => ({ by: given.replace(/^-/, ''), descending: given.startsWith('-') }),
  },
  open: text('open'),
  axes: list('axes'),
  models: list('models'),
  x: text('x'),
  y: text('y'),
};

const KEYS = Object.keys(FIELDS) as (keyof BoardQuery)[];

/** The state that the parameters of an address name. */
export function parseBoardQuery(parameters: { get(name: string): string | null }): BoardQuery {
  const read = KEYS.flatMap((key) => {
    const given = parameters.get(FIELDS[key].name);
    const value = given === null ? undefined : FIELDS[key].read(given);
    return value === undefined ? [] : [[key, value] as const];
  });
  return { ...PLAIN_QUERY, ...Object.fromEntries(read) };
}

/** The parameters of the address for a state; what is as it always is, is not among them. */
export function writeBoardQuery(query: BoardQuery): Readonly<Record<string, string>> {
  return Object.fromEntries(
    KEYS.flatMap((key) => {
      const written = (FIELDS[key] as Field<unknown>).write(query[key]);
      return written === undefined ? [] : [[FIELDS[key].name, written]];
    }),
  );
}

/** `accuracy:4,memory:0.5`, as the API takes it; undefined where none is named. Three digits are more than a slider has. */
export function weightsText(weights: Readonly<Record<string, number>>): string | undefined {
  const parts = Object.entries(weights).map(([name, weight]) => `${name}:${Number(weight.toPrecision(3))}`);
  return parts.length > 0 ? parts.join(',') : undefined;
}

/** What a board is weighed by, as the API takes it. */
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

/** Whether it is weighed otherwise than the task's owner does. */
export const isCustom = (query: BoardQuery): boolean => Object.keys(weighingOf(query)).length > 0;

const FILTERS = ['search', 'kind', 'owner', 'sizeFrom', 'sizeTo', 'since', 'until', 'loop'] as const;

/** How many filters hold, the search among them. */
export const filterCount = (query: BoardQuery): number =>
  FILTERS.filter((key) => query[key] !== PLAIN_QUERY[key]).length;

/** The part of a state that lets all models through. */
export const NO_FILTERS: Partial<BoardQuery> = Object.fromEntries(FILTERS.map((key) => [key, PLAIN_QUERY[key]]));
