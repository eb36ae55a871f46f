import { DomainError } from '@assay/kernel';
import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { Credential } from './credential.js';
import { CredentialsService, type IssuedCredential } from './credentials.service.js';
import type { Principal } from './principal.js';
import type { User } from './user.js';

/** What signed in. */
export interface SessionOrigin {
  /** The browser, in words. */
  readonly device: string;
  readonly address: string;
}

/** Where somebody is signed in. */
@Injectable()
export class SessionsService {
  constructor(
    private readonly em: EntityManager,
    private readonly credentials: CredentialsService,
  ) {}

  /** Begins a session. The one by which the same browser was here before ends, as do those of the user that have expired. */
  async start(user: User, origin: SessionOrigin, before: Principal | null): Promise<IssuedCredential> {
    if (before) await this.credentials.endSession(before);
    await this.em.nativeDelete(Credential, { user, kind: 'session', expiresAt: { $lt: new Date() } });
    return this.credentials.issue(user, 'session', origin.device, { address: origin.address });
  }

  /** Those that go on, the last used first. */
  async list(userId: string): Promise<Credential[]> {
    const sessions = await this.em.find(Credential, {
      user: userId,
      kind: 'session',
      expiresAt: { $gt: new Date() },
    });
    return sessions.sort((one, other) => lastUse(other).getTime() - lastUse(one).getTime());
  }

  /** @throws DomainError not found where it is no session of the user */
  async end(userId: string, id: string): Promise<void> {
    const ended = await this.em.nativeDelete(Credential, { id, user: userId, kind: 'session' });
    if (ended === 0) throw DomainError.notFound('session');
  }
}

/** A sign-in is a use. */
export const lastUse = ({ lastUsedAt, createdAt }: Credential): Date => lastUsedAt ?? createdAt;
