import { DomainError } from '@assay/kernel';
import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { Credential, type SignInMethod } from './credential.js';
import { CredentialsService, hasEnded, type IssuedCredential, lastUse } from './credentials.service.js';
import type { Principal } from './principal.js';
import type { User } from './user.js';

/** What signed in. */
export interface SessionOrigin {
  /** The browser, in words. */
  readonly device: string;
  readonly address: string;
  readonly method: SignInMethod;
  /** When they proved who they are; null: the provider has not said. */
  readonly provenAt: Date | null;
  /** The token that began it: it ends with that, and no later. */
  readonly token: Credential | null;
}

/** Where somebody is signed in. */
@Injectable()
export class SessionsService {
  constructor(
    private readonly em: EntityManager,
    private readonly credentials: CredentialsService,
  ) {}

  /** Begins a session. The one by which the same browser was here before ends, whosever it was, as do those of the user that have expired. */
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

  /** Those that go on, the last used first. */
  async list(userId: string): Promise<Credential[]> {
    const now = new Date();
    const sessions = await this.em.find(Credential, { user: userId, kind: 'session' });
    return sessions
      .filter((each) => !hasEnded(each, now))
      .sort((one, other) => lastUse(other).getTime() - lastUse(one).getTime());
  }

  /** @throws DomainError not found where it is no session of the user */
  async end(userId: string, id: string): Promise<void> {
    const ended = await this.em.nativeDelete(Credential, { id, user: userId, kind: 'session' });
    if (ended === 0) throw DomainError.notFound('session');
  }
}
