import type { Round } from '@assay/tasks';
import type { EntityManager } from '@mikro-orm/postgresql';
import { Annotation } from '../annotating/annotation.js';
import type { CrowdSession } from './crowd-session.js';

/**
 * Returns the number of examples written in a session, retracted ones excluded. The sessions of a
 * worker never overlap, so none counts twice.
 */
export const examplesOf = async (em: EntityManager, round: Pick<Round, 'id'>, session: CrowdSession): Promise<number> =>
  em.count(Annotation, {
    round: round.id,
    annotator: session.user.id,
    source: 'written',
    isCheck: false,
    retractedAt: null,
    createdAt: { $gte: session.createdAt, ...(session.endedAt && { $lt: session.endedAt }) },
  });
