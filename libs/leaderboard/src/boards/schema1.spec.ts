import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { LeaderboardQuery, type LeaderboardView } from '@assay/contracts/boards';
import { remembered } from '@assay/kernel';
import { describe, expect, it } from '@jest/globals';
import { boardTable, csvOf, latexOf } from '../formats/index.js';
import { type PublishedBoard, leaderboardView } from './leaderboard-view.js';
import { matrixBody } from './matrix-body.js';
import type { ResamplesLookup } from './score-draws.js';

/**
 * Boards of schema 1 are computed from stored content whenever they are read, and must have the same
 * bytes for ever. `schema1/` holds stored contents with the boards that were computed from them before
 * schema 2 existed.
 *
 * If this spec fails, change the code, not the records: whatever has a new definition belongs to
 * schema 2 (`schemaOf`).
 *
 * To add a case, write `schema1/<case>.json` without `recorded`, check out the last commit before the
 * change that the case guards against, and run this spec with `RECORD_BOARDS=1`, then Prettier. Cases
 * that are recorded are never recorded again.
 */
interface Case {
  readonly about: string;
  readonly revision: Omit<PublishedBoard, 'publishedAt'> & { readonly publishedAt: string };
  /** Resampled values by the digest of their blob, then by metric, as arguments of `draws`. */
  readonly resamples: Readonly<Record<string, Readonly<Record<string, Draws>>>>;
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

const DRAWS = 1000;
const folder = new URL('schema1/', import.meta.url);
const names = readdirSync(folder).map((file) => file.replace(/\.json$/, ''));
const fileOf = (name: string): URL => new URL(`${name}.json`, folder);
const read = (name: string): Case => JSON.parse(readFileSync(fileOf(name), 'utf8')) as Case;

const noises = new Map<number, readonly number[]>();

/** Returns 1,000 numbers with mean 0 and variance 1, each the sum of twelve uniform ones. */
function noise(seed: number): readonly number[] {
  let state = seed;
  const uniform = () => (state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0) / 2 ** 32;
  return remembered(noises, seed, () =>
    Array.from({ length: DRAWS }, () => Array.from({ length: 12 }, uniform).reduce((sum, each) => sum + each) - 6),
  );
}

function draws({ value, error, seeds: [shared, own] }: Draws): Float32Array {
  const ofModel = noise(own);
  return Float32Array.from(noise(shared), (each, draw) => value + error * (0.8 * each + 0.6 * ofModel[draw]!));
}

function lookupOf({ resamples }: Case): ResamplesLookup {
  const blobs = new Map<string, Readonly<Record<string, Float32Array>>>();
  for (const [digest, metrics] of Object.entries(resamples)) {
    blobs.set(digest, Object.fromEntries(Object.entries(metrics).map(([metric, each]) => [metric, draws(each)])));
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

describe('a board of schema 1', () => {
  it.each(names)('has the bytes that were recorded: %s', async (name) => {
    const stored = read(name);
    const computed = await boardsOf(stored);
    if (process.env['RECORD_BOARDS'] && !stored.recorded) {
      writeFileSync(fileOf(name), JSON.stringify({ ...stored, recorded: computed }));
      return;
    }
    const { board, ...recorded } = stored.recorded!;
    expect(computed).toMatchObject(recorded);
    // compares the order of the fields and every digit as well
    expect(JSON.stringify(computed.board)).toBe(JSON.stringify(board));
  });

  it('has every field that a content may hold, in at least one record', () => {
    const contents = names.map((name) => read(name).revision.content);
    const fields = new Set(
      contents.flatMap((content) => [content, ...content.models, ...content.datasets]).flatMap(Object.keys),
    );
    for (const field of [
      'amrsRevision',
      'utilities',
      'spreads',
      'rounded',
      'human',
      'undefinedMetrics',
      'evaluators',
      'resamples',
      'own',
    ]) {
      expect(fields).toContain(field);
    }
  });
});
