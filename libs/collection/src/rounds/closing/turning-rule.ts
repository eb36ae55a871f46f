import type { CloseRound } from '@assay/contracts/rounds';
import type { Round } from '@assay/tasks';
import type { EntityManager } from '@mikro-orm/postgresql';
import { saturationOf } from './saturation.js';
import { RoundRepository } from '../round.repository.js';

/** The reason why a round closes, and whether pending validations are awaited. */
export interface Turn {
  readonly by: string;
  readonly pending: CloseRound['pending'];
}

/** Applies the turning rule of an open round; null if it stays open. */
export async function turnOf(em: EntityManager, round: Round, now: Date): Promise<Turn | null> {
  const turn = round.settings?.turn;
  if (!turn) return null;
  const { closesAt, examples, validated } = turn;
  // recent examples are of no use before they are validated, so they are awaited; after a count of
  // validated examples or saturation there are enough
  const awaiting = { pending: turn.pending ?? 'await' } as const;
  const leaving = { pending: turn.pending ?? 'leave' } as const;
  if (closesAt !== undefined && Date.parse(closesAt) <= now.getTime()) {
    return { by: `date reached: ${closesAt}`, ...awaiting };
  }
  if (examples !== undefined || validated !== undefined) {
    const counts = await new RoundRepository(em).counts(round.id);
    if (validated !== undefined && counts.validated >= validated) {
      return { by: `count reached: ${counts.validated} validated examples`, ...leaving };
    }
    if (examples !== undefined && counts.examples >= examples) {
      return { by: `count reached: ${counts.examples} examples`, ...awaiting };
    }
  }
  const saturated = await saturationOf(em, round);
  return saturated === null ? null : { by: saturated, ...leaving };
}
