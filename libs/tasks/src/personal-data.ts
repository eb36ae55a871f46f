import { deleteOwnRows, type PersonalData } from '@assay/persistence';

/** The data about the owner of tasks. */
export const tasksPersonalData: PersonalData = {
  lists: {
    tasks: `select id, slug, created_at as "createdAt" from task where owner_id = ?`,
    submitterOf: `select s.id, t.slug as task from task_submitter s join task t on t.id = s.task_id where s.user_id = ?`,
  },
  async erase(em, { id, username }) {
    await deleteOwnRows(em, ['task_submitter'], id);
    await em.execute(`update round set closed_by = 'by an account that was deleted' where closed_by = ?`, [
      `by ${username}`,
    ]);
  },
};
