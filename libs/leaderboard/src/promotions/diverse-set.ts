import type { LoopPolicy } from '@assay/contracts/tasks';
import { roundedCount } from '@assay/scoring/disclosure';
import type { Task } from '@assay/tasks';
import type { BenchmarkVersion } from '@assay/tasks/benchmarks';
import type { EntityManager } from '@mikro-orm/postgresql';
import type { BoardContent, DiverseChoice } from '../boards/board-content.js';
import { definitionAt } from '../boards/board-content.service.js';
import type { BoardMistakes } from '../boards/board-mistakes.js';
import { diversePool, type ExcludedModels } from './promotion.policy.js';

/** A model that may be chosen. Lists of candidates are sorted best first. */
export interface DiverseCandidate {
  readonly id: string;
  readonly owner: string;
  /**
   * The examples that it gets wrong: bit `n % 32` of word `n / 32` (rounded down). All candidates
   * have the same number of words.
   */
  readonly wrong: Uint32Array;
}

/**
 * The number of sets up to which all are compared. If there are more, the set is built model by
 * model.
 */
const MOST_SETS = 20_000;

/**
 * Returns the set of `size` candidates with the fewest examples that all of them get wrong. Among
 * equal sets it prefers earlier candidates. Exact for at most 20,000 sets; otherwise greedy: it
 * starts with the best candidate and repeatedly adds the one that leaves the fewest shared errors.
 */
export function mostDiverse(
  candidates: readonly DiverseCandidate[],
  { size, perOwner }: Pick<LoopPolicy, 'size' | 'perOwner'>,
): Omit<DiverseChoice, 'examples'> {
  const most = perOwner ?? Infinity;
  const wanted = Math.min(size, allowed(candidates, most));
  const chosen =
    setsOf(candidates.length, wanted) <= MOST_SETS ? exact(candidates, wanted, most) : greedy(candidates, wanted, most);
  return { models: chosen.map(({ id }) => id), wrong: chosen.length === 0 ? 0 : wrongOfAll(chosen) };
}

/** Returns the number of examples that every candidate gets wrong. */
const wrongOfAll = (chosen: readonly DiverseCandidate[]): number => ones(chosen.map(({ wrong }) => wrong).reduce(both));

function exact(candidates: readonly DiverseCandidate[], size: number, perOwner: number): readonly DiverseCandidate[] {
  let best: { readonly chosen: readonly DiverseCandidate[]; readonly wrong: number } = { chosen: [], wrong: Infinity };
  const extend = (chosen: readonly DiverseCandidate[], shared: Uint32Array | null, from: number): void => {
    if (chosen.length === size) {
      const wrong = shared ? ones(shared) : 0;
      if (wrong < best.wrong) best = { chosen, wrong };
      return;
    }
    for (let next = from; next <= candidates.length - (size - chosen.length); next++) {
      const candidate = candidates[next]!;
      if (!hasRoom(chosen, candidate, perOwner)) continue;
      extend([...chosen, candidate], shared ? both(shared, candidate.wrong) : candidate.wrong, next + 1);
    }
  };
  extend([], null, 0);
  return best.chosen;
}

function greedy(candidates: readonly DiverseCandidate[], size: number, perOwner: number): readonly DiverseCandidate[] {
  const chosen = candidates.slice(0, Math.min(1, size));
  while (chosen.length < size) {
    const shared = chosen.map(({ wrong }) => wrong).reduce(both);
    let next: DiverseCandidate | null = null;
    let fewest = Infinity;
    for (const candidate of candidates) {
      if (chosen.includes(candidate) || !hasRoom(chosen, candidate, perOwner)) continue;
      const wrong = ones(both(shared, candidate.wrong));
      if (wrong < fewest) [next, fewest] = [candidate, wrong];
    }
    if (!next) break;
    chosen.push(next);
  }
  return candidates.filter((candidate) => chosen.includes(candidate));
}

const hasRoom = (chosen: readonly DiverseCandidate[], { owner }: DiverseCandidate, perOwner: number): boolean =>
  chosen.filter((other) => other.owner === owner).length < perOwner;

/** Returns how many candidates can be chosen at most. */
function allowed(candidates: readonly DiverseCandidate[], perOwner: number): number {
  const owners = new Map<string, number>();
  for (const { owner } of candidates) owners.set(owner, Math.min(perOwner, (owners.get(owner) ?? 0) + 1));
  return [...owners.values()].reduce((sum, count) => sum + count, 0);
}

/** Returns the binomial coefficient, n choose k. */
function setsOf(n: number, k: number): number {
  let sets = 1;
  for (let place = 1; place <= k; place++) sets *= (n - k + place) / place;
  return Math.round(sets);
}

const both = (a: Uint32Array, b: Uint32Array): Uint32Array => a.map((word, index) => word & b[index]!);

function ones(words: Uint32Array): number {
  let count = 0;
  for (const word of words) {
    // adds up bits in pairs, fours and eights (Warren, Hacker's Delight, 5-1)
    let bits = word - ((word >>> 1) & 0x55555555);
    bits = (bits & 0x33333333) + ((bits >>> 2) & 0x33333333);
    count += Math.imul((bits + (bits >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
  }
  return count;
}

/** The number of models whose predictions are read to find a diverse loop. */
const LARGEST_POOL = 32;

/**
 * Returns the content with the set of models that share the fewest errors, if its policy asks for
 * that. Models in `excluded` are left out.
 */
export async function withDiverse(
  em: EntityManager,
  mistakes: BoardMistakes,
  task: Task,
  benchmark: BenchmarkVersion,
  content: BoardContent,
  excluded: ExcludedModels,
): Promise<BoardContent> {
  const { loop } = content;
  if (loop.strategy !== 'diverse') return content;
  const board = { number: 0, benchmarkVersion: benchmark.number, publishedAt: new Date(), content };
  const pool = diversePool(board, excluded).slice(0, LARGEST_POOL);
  const ids = pool.map(({ model }) => model.id);
  const found = await mistakes.of(em, definitionAt(task, benchmark), benchmark, ids);
  if (!found) return content;
  const candidates = pool.flatMap(({ model: { id, owner } }) => {
    const wrong = found.wrong.get(id);
    return wrong ? [{ id, owner, wrong }] : [];
  });
  const { models, wrong } = mostDiverse(candidates, loop);
  const isRounded = content.datasets.some(({ rounded }) => rounded);
  return {
    ...content,
    diverse: { models, wrong: isRounded ? roundedCount(wrong, found.examples) : wrong, examples: found.examples },
  };
}
