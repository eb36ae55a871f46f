import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { LeaderboardQuery, type LeaderboardView } from '@assay/contracts/boards';
import { remembered } from '@assay/kernel';
import { packRight, RIGHT_ANSWERS } from '@assay/scoring/ranks';
import { describe, expect, it } from '@jest/globals';
import { boardTable, csvOf, latexOf } from '../formats/index.js';
import { type PublishedBoard, leaderboardView } from './leaderboard-view.js';
import { matrixBody } from './matrix-body.js';
import type { ResamplesLookup } from './score-draws.js';

/**
 * Boards are computed from stored content whenever they are read, and must have the same bytes for
 * ever. `schema1/` holds stored contents of schema 1 with the boards that were computed from them before
 * schema 2 existed, and `schema2/` contents of schema 2 from before they had `rules`.
 *
 * If this spec fails, change the code, not the records: whatever has a new definition belongs to
 * contents with newer `rules`.
 *
 * To add a case, write its file without `recorded`, check out the last commit before the change that
 * the case guards against, and run this spec with `RECORD_BOARDS=1`, then Prettier. Cases that are
 * recorded are never recorded again.
 */
interface Case {
  readonly about: string;
  readonly revision: Omit<PublishedBoard, 'publishedAt'> & { readonly publishedAt: string };
  /** Resampled values by the digest of their blob, then by metric, as arguments of `draws`. */
  readonly resamples: Readonly<Record<string, Readonly<Record<string, Draws>>>>;
  /** By the digest of the same blob, which answers are right. */
  readonly right?: Readonly<Record<string, Answers>>;
  /** Query strings. */
  readonly queries: readonly string[];
  readonly recorded?: Recorded;
}

interface Recorded {
  /** The board of the first query. */
  readonly board: LeaderboardView;
  /** Its lines as CSV and as LaTeX. */
  readonly csv: readonly string[];
  readonly latex: readonly string[];
  /** sha256 of the JSON of every board, in the order of the queries. */
  readonly boards: readonly string[];
  /** sha256 of the matrix file. */
  readonly matrix: string;
}

interface Draws {
  readonly value: number;
  readonly error: number;
  /** The seed of the draws that all models share, and that of the model's own. */
  readonly seeds: readonly [number, number];
}

interface Answers {
  /** The share of right answers. A model with a larger share is right on the same examples and more. */
  readonly share: number;
  readonly examples: number;
  /** The seed of the examples, which all models share. */
  readonly seed: number;
}

const DRAWS = 1000;
const namesIn = (folder: string): readonly string[] =>
  readdirSync(new URL(`${folder}/`, import.meta.url)).map((file) => `${folder}/${file.replace(/\.json$/, '')}`);
const fileOf = (name: string): URL => new URL(`${name}.json`, import.meta.url);
const read = (name: string): Case => JSON.parse(readFileSync(fileOf(name), 'utf8')) as Case;

/** Returns a generator of numbers from 0 to 1. */
function uniforms(seed: number): () => number {
  let state = seed;
  return () => (state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0) / 2 ** 32;
}

const noises = new Map<number, readonly number[]>();

/** Returns 1,000 numbers with mean 0 and variance 1, each the sum of twelve uniform ones. */
function noise(seed: number): readonly number[] {
  const uniform = uniforms(seed);
  return remembered(noises, seed, () =>
    Array.from({ length: DRAWS }, () => Array.from({ length: 12 }, uniform).reduce((sum, each) => sum + each) - 6),
  );
}

function draws({ value, error, seeds: [shared, own] }: Draws): Float32Array {
  const ofModel = noise(own);
  return Float32Array.from(noise(shared), (each, draw) => value + error * (0.8 * each + 0.6 * ofModel[draw]!));
}

function rightAnswers({ share, examples, seed }: Answers): Float32Array {
  const uniform = uniforms(seed);
  return packRight(Array.from({ length: examples }, () => (uniform() < share ? 1 : 0)));
}

function lookupOf({ resamples, right }: Case): ResamplesLookup {
  const blobs = new Map<string, Readonly<Record<string, Float32Array>>>();
  for (const [digest, metrics] of Object.entries(resamples)) {
    const columns = Object.fromEntries(Object.entries(metrics).map(([metric, each]) => [metric, draws(each)]));
    const answers = right?.[digest];
    blobs.set(digest, answers ? { ...columns, [RIGHT_ANSWERS]: rightAnswers(answers) } : columns);
  }
  return (digest) => blobs.get(digest);
}

const sha256 = (bytes: string | Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

async function boardsOf(each: Case): Promise<Recorded> {
  const revision = { ...each.revision, publishedAt: new Date(each.revision.publishedAt) };
  const resamples = lookupOf(each);
  const boards = each.queries.map((text) => {
    const query = LeaderboardQuery.parse(Object.fromEntries(new URLSearchParams(text)));
    return leaderboardView(revision, query, { resamples });
  });
  const [board] = boards;
  const table = boardTable(board!);
  return {
    board: board!,
    csv: csvOf(table).split('\n'),
    latex: latexOf(table).split('\n'),
    boards: boards.map((view) => sha256(JSON.stringify(view))),
    matrix: sha256((await matrixBody(revision, 'identity')).bytes),
  };
}

const recorded = ['schema1', 'schema2'].flatMap(namesIn);

describe('a stored board', () => {
  it.each(recorded)('has the bytes that were recorded: %s', async (name) => {
    const stored = read(name);
    const computed = await boardsOf(stored);
    if (process.env['RECORD_BOARDS'] && !stored.recorded) {
      writeFileSync(fileOf(name), JSON.stringify({ ...stored, recorded: computed }));
      return;
    }
    const { board, ...others } = stored.recorded!;
    expect(computed).toMatchObject(others);
    // compares the order of the fields and every digit as well
    expect(JSON.stringify(computed.board)).toBe(JSON.stringify(board));
  });

  it.each([
    [
      'schema1',
      [
        'amrsRevision',
        'utilities',
        'spreads',
        'rounded',
        'human',
        'undefinedMetrics',
        'evaluators',
        'resamples',
        'own',
      ],
    ],
    ['schema2', ['exchange', 'copies', 'utilities', 'spreads', 'rounded', 'human', 'undefinedMetrics', 'own']],
  ])('has every field that a content of %s may hold, in at least one record', (folder, fields) => {
    const contents = namesIn(folder).map((name) => read(name).revision.content);
    const present = new Set(
      contents.flatMap((content) => [content, ...content.models, ...content.datasets]).flatMap(Object.keys),
    );
    for (const field of fields) expect(present).toContain(field);
  });

  it('compares models that differ on few examples, in at least one record', () => {
    const { right } = read('schema2/twelve-models');
    const shares = Object.values(right!).map(({ share, examples }) => Math.round(share * examples));
    expect(
      shares.some((count, index) => shares.some((other, at) => at !== index && Math.abs(count - other) < 10)),
    ).toBe(true);
  });
});
