import type { UserView } from '@assay/contracts';
import type { User } from '@assay/identity';

/** An account as its holder sees it. */
export const userView = (user: User): UserView => ({
  id: user.id,
  username: user.username,
  email: user.email,
  emailVerified: Boolean(user.emailVerifiedAt),
  role: user.role,
  createdAt: user.createdAt.toISOString(),
  hasPassword: user.passwordHash !== null,
});
