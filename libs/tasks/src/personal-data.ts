import type { PersonalData } from '@assay/persistence';

/** The data about the owner of tasks. */
export const tasksPersonalData: PersonalData = {
  lists: {
    tasks: `select id, slug, created_at as "createdAt" from task where owner_id = ?`,
  },
  async erase(em, { username }) {
    await em.execute(`update round set closed_by = 'by an account that was deleted' where closed_by = ?`, [
      `by ${username}`,
    ]);
  },
};
