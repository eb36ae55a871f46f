import { type BoardContent, withoutFailedUploads } from '../boards/board-content.js';
import type { WholeRevision } from '../boards/board-revision.repository.js';
import { aggregatesOf, officialBoard } from '../boards/weighed-board.js';
import type { BoardStanding } from './board-summary.js';
import { overallCurve } from './saturation-curve.js';

const LEADERS = 3;

/** Returns the standings of a revision: as everybody may see it, and exact if scores are rounded. */
export function standingsOf({ content, exactModels }: Pick<WholeRevision, 'content' | 'exactModels'>): {
  readonly disclosed: BoardStanding;
  readonly exact: BoardStanding | null;
} {
  return {
    disclosed: standingOf(withoutFailedUploads(content)),
    exact: exactModels ? standingOf(withoutFailedUploads({ ...content, models: exactModels })) : null,
  };
}

/** Returns the number of ranked models, the first three and the saturation of a board. */
function standingOf(content: BoardContent): BoardStanding {
  const weighed = officialBoard(content);
  const { order, rank, dynascore } = weighed.ranking;
  const leaders = Array.from(order.subarray(0, LEADERS), (index, place) => {
    const { id, name, owner } = content.models[index]!;
    return {
      rank: rank[place]!,
      model: { id, name, owner },
      dynascore: dynascore[place]!,
      performance: aggregatesOf(weighed, index)[content.performance] ?? null,
    };
  });
  return {
    models: order.length,
    leaders,
    saturation: { performance: content.performance, ...overallCurve(content) },
  };
}
