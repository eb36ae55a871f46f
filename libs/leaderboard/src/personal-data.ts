import type { PersonalData } from '@assay/persistence';

/** The data about the owner of saved boards, and the signed results that name the owner of a model or of an evaluator. */
export const leaderboardPersonalData: PersonalData = {
  lists: {
    forks: `select x.id, t.slug as task, x.name, x.description, x.weighing, x.created_at as "createdAt"
    from board_fork x join task t on t.id = x.task_id where x.owner_id = ?`,
    snapshots: `select x.id, t.slug as task, x.name, x.description, x.weighing, x.created_at as "createdAt"
    from board_snapshot x join task t on t.id = x.task_id where x.owner_id = ?`,
  },
  erase: async (em, { id }) => {
    await em.execute(
      `with own as (select id from evaluator where owner_id = ?)
       delete from signed_result where model_id in (
         select id from model where owner_id = ? or specification_id in (
           select specification_id from evaluation where evaluator_id in (select id from own)
           union select specification_id from measurement where evaluator_id in (select id from own)))`,
      [id, id],
    );
  },
};
