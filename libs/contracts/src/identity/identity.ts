import { z } from 'zod';
import { namedObject, namedStrictObject } from '../named-object.js';
import { shownName } from '../text/shown-name.js';

export const Username = z
  .string()
  .regex(
    /^[A-Za-z0-9][A-Za-z0-9_-]{1,38}$/,
    'must be 2 to 39 letters, digits, _ or -, and start with a letter or digit',
  );
const NewPassword = z
  .string()
  .min(12, 'must have at least 12 characters')
  .max(200)
  .describe('at least 12 characters, and none of those that are tried first');

/** The modes of registration: the people who may create an account. */
export const REGISTRATION_MODES = ['open', 'mail', 'invitation', 'closed'] as const;
export const RegistrationMode = z.enum(REGISTRATION_MODES).meta({
  id: 'RegistrationMode',
  description:
    'who may register. open: everyone; mail: everyone, but the account can only read until its mail address is confirmed; invitation: people with an invitation; closed: nobody',
});
export type RegistrationMode = z.infer<typeof RegistrationMode>;

export const Register = namedStrictObject('Register', {
  username: Username,
  email: z.email().max(254),
  password: NewPassword,
  invitation: z
    .string()
    .min(1)
    .max(200)
    .optional()
    .describe('the part of the link of an invitation after #; needed if registration is by invitation'),
});
export type Register = z.infer<typeof Register>;

export const Login = namedStrictObject('Login', { email: z.email().max(254), password: z.string().max(200) });
export type Login = z.infer<typeof Login>;

export const LoginByToken = namedStrictObject('LoginByToken', {
  token: z.string().min(1).max(200).describe('a token of yours'),
});
export type LoginByToken = z.infer<typeof LoginByToken>;

export const UserView = namedObject('User', {
  id: z.string(),
  username: z.string(),
  email: z.string(),
  emailVerified: z.boolean().describe('false: notifications are not mailed there yet'),
  verified: z
    .boolean()
    .describe(
      "the mail address is confirmed, or the account was registered with an invitation or is an administrator's",
    ),
  role: z.enum(['administrator', 'user', 'crowd']),
  createdAt: z.iso.datetime(),
  hasPassword: z.boolean().describe('false: you sign in by a provider or by a token'),
});
export type UserView = z.infer<typeof UserView>;

export const ConfirmMail = namedStrictObject('ConfirmMail', {
  secret: z.string().min(1).max(200).describe('the part of the link after #'),
});
export type ConfirmMail = z.infer<typeof ConfirmMail>;

export const ChangePassword = namedStrictObject('ChangePassword', {
  password: z
    .string()
    .max(200)
    .optional()
    .describe('the one until now; without one on the account, sign in not more than 15 minutes before'),
  newPassword: NewPassword,
  endTokens: z
    .boolean()
    .default(false)
    .describe('whether your tokens end too, with the sessions that they began; not the token by which you ask'),
});
export type ChangePassword = z.infer<typeof ChangePassword>;

/** The scopes of a token, in ascending order: each includes those before it. */
export const TOKEN_SCOPES = ['read', 'submit', 'all'] as const;
export const TokenScope = z.enum(TOKEN_SCOPES).meta({
  id: 'TokenScope',
  description:
    'read: changes nothing; submit: also submits models, uploads, runs and publishes them; all: whatever you may do',
});
export type TokenScope = z.infer<typeof TokenScope>;

export const CreateToken = namedStrictObject('CreateToken', {
  name: shownName(100).describe('where it will be used'),
  scope: TokenScope.default('all'),
  days: z
    .int()
    .min(1)
    .max(365)
    .default(90)
    .describe('after how many days it ends; not after the token that it is made with'),
});
export type CreateToken = z.infer<typeof CreateToken>;

const tokenEnd = z.iso.datetime().nullable().describe('from when on it is refused; null: when it is revoked');

export const TokenCreated = namedObject('TokenCreated', {
  id: z.string(),
  name: z.string(),
  scope: TokenScope,
  expiresAt: tokenEnd,
  token: z.string().describe('Shown once; stored hashed'),
});
export type TokenCreated = z.infer<typeof TokenCreated>;

const ProviderView = z
  .object({ name: z.string().describe('what it is called') })
  .nullable()
  .describe('an OpenID provider that people may sign in with; null: there is none');

export const SignInWays = namedObject('SignInWays', { provider: ProviderView, registration: RegistrationMode });
export type SignInWays = z.infer<typeof SignInWays>;

/** A path of the dashboard. Cannot lead to another site. */
const NextPath = z
  .string()
  .max(500)
  .regex(/^\/(?![/\\])[^\u0000-\u0020]*$/, 'must be a path, such as /tasks/nli')
  .default('/')
  .describe('where to go afterwards: a path of the dashboard');

export const ProviderStart = z.strictObject({ next: NextPath });
export type ProviderStart = z.infer<typeof ProviderStart>;

export const ProviderRegistration = namedObject('ProviderRegistration', {
  email: z.string().describe('the address that the provider has verified'),
});
export type ProviderRegistration = z.infer<typeof ProviderRegistration>;

export const RegisterByProvider = namedStrictObject('RegisterByProvider', { username: Username });
export type RegisterByProvider = z.infer<typeof RegisterByProvider>;

const proof = z
  .string()
  .max(200)
  .optional()
  .describe('yours; without one on the account, sign in not more than 15 minutes before');

export const LinkProvider = namedStrictObject('LinkProvider', { password: proof });
export type LinkProvider = z.infer<typeof LinkProvider>;

export const UnlinkProvider = namedStrictObject('UnlinkProvider', { password: proof });
export type UnlinkProvider = z.infer<typeof UnlinkProvider>;

export const ProviderLinkView = namedObject('ProviderLink', {
  id: z.string().describe('of the link'),
  issuer: z.string().describe('the provider, as it calls itself'),
  linkedAt: z.iso.datetime().describe('since when you sign in by it'),
});

export const ProviderLinkList = namedObject('ProviderLinkList', {
  items: z.array(ProviderLinkView).describe('your providers, the first linked first'),
});
export type ProviderLinkList = z.infer<typeof ProviderLinkList>;

export const ProviderAddress = namedObject('ProviderAddress', {
  url: z.string().describe('of the provider: go there in the browser that sent this'),
});
export type ProviderAddress = z.infer<typeof ProviderAddress>;

export const SessionView = namedObject('Session', {
  id: z.string().describe('of the session'),
  device: z.string().describe('the browser and the system that signed in, as they call themselves'),
  address: z.string().nullable().describe('where it was started from; null: not known'),
  createdAt: z.iso.datetime().describe('when you signed in'),
  lastUsedAt: z.iso.datetime().describe('to the minute'),
  expiresAt: z.iso.datetime().nullable().describe('when you would have to sign in again'),
  current: z.boolean().describe('whether you ask by this very one'),
});

export const SessionList = namedObject('SessionList', {
  items: z.array(SessionView).describe('that go on, the last used first'),
});
export type SessionList = z.infer<typeof SessionList>;

export const TokenView = namedObject('Token', {
  id: z.string(),
  name: z.string(),
  scope: TokenScope,
  createdAt: z.iso.datetime(),
  lastUsedAt: z.iso.datetime().nullable().describe('to the minute; null: never'),
  expiresAt: tokenEnd,
});
