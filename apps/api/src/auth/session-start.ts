import { type Credential, type Principal, SessionsService, type SignInMethod, type User } from '@assay/identity';
import { Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { logSignIn } from '../security-log.js';
import { deviceOf } from './device.js';
import { DeviceCookie, SessionCookie } from './session-cookie.js';

export interface Exchange {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
}

/** By what somebody signs in. */
export interface SignInWay {
  readonly method: SignInMethod;
  /** The token, where it is by one. */
  readonly token?: Credential | null;
  /** When they proved who they are; default: now. */
  readonly provenAt?: Date | null;
}

/** Signs a browser in. */
@Injectable()
export class SessionStart {
  constructor(
    private readonly sessions: SessionsService,
    private readonly cookie: SessionCookie,
    private readonly device: DeviceCookie,
  ) {}

  /** @param before by which session the same browser was here before */
  async start(
    user: User,
    { method, token = null, provenAt = new Date() }: SignInWay,
    before: Pick<Principal, 'credentialId'> | null,
    { request, reply }: Exchange,
  ): Promise<void> {
    const origin = { device: deviceOf(request.headers['user-agent']), address: request.ip, method, provenAt, token };
    this.cookie.set(reply, await this.sessions.start(user, origin, before));
    this.device.set(reply, user.email);
    logSignIn(request, user, method);
  }
}
