import type { UserView } from '@assay/contracts/identity';
import {
  type Credential,
  isVerified,
  type Principal,
  SessionsService,
  type SignInMethod,
  type User,
} from '@assay/identity';
import { Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { logSignIn } from '../observability/security-log.js';
import { DeviceCookie, SessionCookie } from './session-cookie.js';

/** Presents an account to its holder. */
export const userView = (user: User): UserView => ({
  id: user.id,
  username: user.username,
  email: user.email,
  emailVerified: Boolean(user.emailVerifiedAt),
  verified: isVerified(user),
  role: user.role,
  createdAt: user.createdAt.toISOString(),
  hasPassword: user.passwordHash !== null,
});

export interface Exchange {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
}

/** The method of a sign-in, with its details. */
export interface SignInWay {
  readonly method: SignInMethod;
  /** The token, if the user signs in by one. */
  readonly token?: Credential | null;
  /** The time when the user proved their identity. Default: now. Null if unknown. */
  readonly provenAt?: Date | null;
}

/** Signs browsers in. */
@Injectable()
export class SessionStart {
  constructor(
    private readonly sessions: SessionsService,
    private readonly cookie: SessionCookie,
    private readonly device: DeviceCookie,
  ) {}

  /**
   * Starts a session, sets the cookies of the session and the device, and presents the account.
   * @param before the previous session of the same browser, which ends
   */
  async start(
    user: User,
    { method, token = null, provenAt = new Date() }: SignInWay,
    before: Pick<Principal, 'credentialId'> | null,
    { request, reply }: Exchange,
  ): Promise<UserView> {
    const origin = { device: deviceOf(request.headers['user-agent']), address: request.ip, method, provenAt, token };
    this.cookie.set(reply, await this.sessions.start(user, origin, before));
    this.device.set(reply, user.email);
    logSignIn(request, user, method);
    return userView(user);
  }
}

/** The order matters: most browsers also name the browsers that they are compatible with. */
const BROWSERS: readonly (readonly [RegExp, string])[] = [
  [/\bEdgA?\//, 'Edge'],
  [/\bOPR\//, 'Opera'],
  [/\b(?:Firefox|FxiOS)\//, 'Firefox'],
  [/\b(?:Headless)?Chrom(?:e|ium)\/|\bCriOS\//, 'Chrome'],
  [/\bSafari\//, 'Safari'],
  [/^curl\//, 'curl'],
];

const SYSTEMS: readonly (readonly [RegExp, string])[] = [
  [/\bAndroid\b/, 'Android'],
  [/\b(?:iPhone|iPad|iPod)\b/, 'iOS'],
  [/\bWindows\b/, 'Windows'],
  [/\bMac OS X\b/, 'macOS'],
  [/\bCrOS\b/, 'ChromeOS'],
  [/\bLinux\b/, 'Linux'],
];

/**
 * Returns a description of the browser with this `User-Agent`, such as `Firefox on Linux`. It is
 * enough for a person to recognise the browser, and nothing more is stored.
 */
export function deviceOf(userAgent: string | undefined): string {
  const named = (names: typeof BROWSERS): string | undefined =>
    names.find(([pattern]) => pattern.test(userAgent ?? ''))?.[1];
  const browser = named(BROWSERS) ?? 'A program';
  const system = named(SYSTEMS);
  return system === undefined ? browser : `${browser} on ${system}`;
}
