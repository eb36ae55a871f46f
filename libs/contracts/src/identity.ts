import { z } from 'zod';

export const Username = z.string().regex(/^[A-Za-z0-9][A-Za-z0-9_-]{1,38}$/, '2 to 39 letters, digits, _ or -');
const Password = z.string().min(10, 'at least 10 characters').max(200);

export const Register = z
  .strictObject({ username: Username, email: z.email().max(254), password: Password })
  .meta({ id: 'Register' });
export type Register = z.infer<typeof Register>;

export const Login = z.strictObject({ email: z.email().max(254), password: z.string().max(200) }).meta({ id: 'Login' });
export type Login = z.infer<typeof Login>;

export const UserView = z
  .object({
    id: z.string(),
    username: z.string(),
    email: z.string(),
    role: z.enum(['administrator', 'user', 'crowd']),
    createdAt: z.iso.datetime(),
  })
  .meta({ id: 'User' });
export type UserView = z.infer<typeof UserView>;

export const CreateToken = z.strictObject({ name: z.string().min(1).max(100) }).meta({ id: 'CreateToken' });
export type CreateToken = z.infer<typeof CreateToken>;

export const TokenCreated = z
  .object({ id: z.string(), name: z.string(), token: z.string().meta({ description: 'Shown once; stored hashed' }) })
  .meta({ id: 'TokenCreated' });
export type TokenCreated = z.infer<typeof TokenCreated>;

export const TokenView = z
  .object({ id: z.string(), name: z.string(), createdAt: z.iso.datetime(), lastUsedAt: z.iso.datetime().nullable() })
  .meta({ id: 'Token' });
export type TokenView = z.infer<typeof TokenView>;
