import type { Task } from '@assay/tasks';
import type { BenchmarkVersion } from '@assay/tasks/benchmarks';
import type { EntityManager } from '@mikro-orm/postgresql';
import type { BoardContent } from '../boards/board-content.js';
import { definitionAt } from '../boards/board-content.service.js';
import type { BoardMistakes } from '../boards/board-mistakes.js';
import { mostDiverse } from './diverse-set.js';
import { diversePool } from './promotion.policy.js';

/** The number of models whose predictions are read to find a diverse loop. */
const LARGEST_POOL = 32;

/**
 * Returns the content with the set of models that share the fewest errors, if its policy asks for
 * that. Models in `excluded` (IDs) are excluded.
 */
export async function withDiverse(
  em: EntityManager,
  mistakes: BoardMistakes,
  task: Task,
  benchmark: BenchmarkVersion,
  content: BoardContent,
  excluded: ReadonlySet<string>,
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
  return { ...content, diverse: { ...mostDiverse(candidates, loop), examples: found.examples } };
}
