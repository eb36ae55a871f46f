import { deleteOwnRows, type PersonalData } from '@assay/persistence';

/** The data about a user's profile and e-mail address. */
export const accountsPersonalData: PersonalData = {
  objects: {
    profile: `select id, display_name as "displayName", bio, board, shows, updated_at as "updatedAt" from profile where user_id = ?`,
  },
  erase: (em, { id }) => deleteOwnRows(em, ['mail_confirmation', 'profile'], id),
};
