import type { PersonalData } from '@assay/persistence';
import { EvaluatorRepository } from './evaluator.repository.js';

/** The data about the owner of evaluators. */
export const evaluatorsPersonalData: PersonalData = {
  lists: {
    evaluators: `select id, name, state, created_at as "createdAt", removed_at as "removedAt", last_seen_at as "lastSeenAt",
      version, host, slots from evaluator where owner_id = ?`,
  },
  erase: (em, { id }) => new EvaluatorRepository(em).eraseOf(id),
};
