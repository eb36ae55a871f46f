import type { UserView } from '@assay/contracts/identity';
import type { User } from '@assay/identity';

/** Presents an account to its holder. */
export const userView = (user: User): UserView => ({
  id: user.id,
  username: user.username,
  email: user.email,
  emailVerified: Boolean(user.emailVerifiedAt),
  role: user.role,
  createdAt: user.createdAt.toISOString(),
  hasPassword: user.passwordHash !== null,
});
