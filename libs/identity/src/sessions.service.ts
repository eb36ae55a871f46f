import { DomainError } from '@assay/kernel';
import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { Credential, type SignInMethod } from './credential.js';
import { CredentialsService, hasEnded, type IssuedCredential, lastUse } from './credentials.service.js';
import type { Principal, User } from './user.js';

/** The circumstances of a sign-in. */
export interface SessionOrigin {
  /** A description of the browser. */
  readonly device: string;
  readonly address: string;
  readonly method: SignInMethod;
  /** The time when the user proved their identity. Null if the provider did not state it. */
  readonly provenAt: Date | null;
  /** The token that started the session. The session ends with it at the latest. */
  readonly token: Credential | null;
}

/** Manages the sessions of users. */
@Injectable()
export class SessionsService {
  constructor(
    private readonly em: EntityManager,
    private readonly credentials: CredentialsService,
  ) {}

  /**
   * Starts a session. Ends the previous session of the same browser, even of another user, and
   * deletes the user's expired sessions.
   */
  async start(
    user: User,
    origin: SessionOrigin,
    before: Pick<Principal, 'credentialId'> | null,
  ): Promise<IssuedCredential> {
    if (before) await this.credentials.endSession(before);
    const now = new Date();
    const ended = (await this.em.find(Credential, { user, kind: 'session' })).filter((each) => hasEnded(each, now));
    await this.em.nativeDelete(Credential, { id: { $in: ended.map(({ id }) => id) } });
    const { device, token, ...how } = origin;
    return this.credentials.issue(user, 'session', device, { ...how, parent: token });
  }

  /** Returns the active sessions of a user, most recently used first. */
  async list(userId: string): Promise<Credential[]> {
    const now = new Date();
    const sessions = await this.em.find(Credential, { user: userId, kind: 'session' });
    return sessions
      .filter((each) => !hasEnded(each, now))
      .sort((one, other) => lastUse(other).getTime() - lastUse(one).getTime());
  }

  /** Ends a session. @throws DomainError `not_found` if the user has no such session */
  async end(userId: string, id: string): Promise<void> {
    const ended = await this.em.nativeDelete(Credential, { id, user: userId, kind: 'session' });
    if (ended === 0) throw DomainError.notFound('session');
  }
}
