import type { PersonalData } from '@assay/persistence';

/** The data about the owner of saved boards. */
export const leaderboardPersonalData: PersonalData = {
  lists: {
    forks: `select x.id, t.slug as task, x.name, x.description, x.weighing, x.created_at as "createdAt"
    from board_fork x join task t on t.id = x.task_id where x.owner_id = ?`,
    snapshots: `select x.id, t.slug as task, x.name, x.description, x.weighing, x.created_at as "createdAt"
    from board_snapshot x join task t on t.id = x.task_id where x.owner_id = ?`,
  },
};
