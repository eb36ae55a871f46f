import { randomBytes } from 'node:crypto';
import { deleteOwnRows, type PersonalData } from '@assay/persistence';
import { User } from './user.js';

/** The data about a user's account. After erasure, the username becomes available again. */
export const identityPersonalData: PersonalData = {
  objects: {
    account: `select id, username, email, email_verified_at as "emailVerifiedAt", verified_at as "verifiedAt", role, created_at as "createdAt" from user_account where id = ?`,
  },
  lists: {
    signIns: `select id, kind, name, address, created_at as "createdAt", last_used_at as "lastUsedAt", expires_at as "expiresAt"
    from credential where user_id = ?`,
    changes: `select x.id, x.at, x.action, x.subject_kind as "subjectKind", x.subject_id as "subject", x.subject_name as "subjectName",
      x."from", x."to", x.network from audit_entry x where x.actor = ?`,
  },
  async erase(em, { id, at }) {
    await deleteOwnRows(em, ['credential', 'external_identity'], id);
    const name = `deleted-${randomBytes(12).toString('hex')}`;
    await em.nativeUpdate(User, id, {
      username: name,
      usernameKey: name,
      email: `${name}@deleted.invalid`,
      emailVerifiedAt: null,
      verifiedAt: null,
      passwordHash: null,
      role: 'user',
      deletedAt: at,
    });
  },
};
