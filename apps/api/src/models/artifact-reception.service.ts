import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ModelState } from '@assay/contracts';
import { EvaluationRequests } from '@assay/evaluation';
import { CredentialsService } from '@assay/identity';
import { DomainError } from '@assay/kernel';
import { BLOB_STORE, type BlobStore, type CompletedUpload, UploadServer } from '@assay/storage';
import { Model, ModelsService, type StoredArtifact } from '@assay/submissions';
import { LockMode } from '@mikro-orm/core';
import { EntityManager, MikroORM, RequestContext } from '@mikro-orm/postgresql';
import { Inject, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { fastifyCookie } from '@fastify/cookie';
import { join } from 'node:path';
import { SessionCookie } from '../auth/session-cookie.js';
import { Environment } from '../environment.js';

export interface Reception {
  /** False where these bytes were there already. */
  readonly created: boolean;
  readonly state: ModelState;
}

/** Takes artifacts in, whichever way they come, and asks for what has to be evaluated then. */
@Injectable()
export class ArtifactReception implements OnApplicationBootstrap {
  private readonly uploads: UploadServer;

  constructor(
    private readonly orm: MikroORM,
    private readonly em: EntityManager,
    private readonly models: ModelsService,
    private readonly credentials: CredentialsService,
    private readonly evaluations: EvaluationRequests,
    private readonly cookie: SessionCookie,
    @Inject(BLOB_STORE) private readonly blobs: BlobStore,
    environment: Environment,
  ) {
    this.uploads = new UploadServer({
      directory: join(environment.home, 'uploads'),
      route: '/api/v1/models/:id/upload',
      publicUrl: environment.publicUrl,
      admit: (id, request) => this.admit(id, request),
      onComplete: (upload) => this.inContext(() => this.complete(upload)),
    });
  }

  async onApplicationBootstrap(): Promise<void> {
    await this.uploads.sweep(new Date());
    await this.uploads.recover();
  }

  uploadAddress(modelId: string): string {
    return this.uploads.address(modelId);
  }

  async handleUpload(request: IncomingMessage, response: ServerResponse): Promise<void> {
    await this.uploads.handle(request, response);
  }

  /** Model, run and outbox in one transaction. */
  async receive(modelId: string, stored: StoredArtifact): Promise<Reception> {
    return this.em.transactional(async (em) => {
      const model = await em.findOneOrFail(
        Model,
        { id: modelId },
        { lockMode: LockMode.PESSIMISTIC_WRITE, refresh: true },
      );
      await em.populate(model, ['task', 'owner']);
      const specification = await this.models.attachArtifact(em, model, stored);
      if (!specification) return { created: false, state: model.state };

      if (!(await this.blobs.has(stored.digest))) throw gone();
      await em.flush();
      await this.evaluations.requestMissing(em, model.task, specification);
      await em.refresh(model);
      return { created: true, state: model.state };
    });
  }

  private async admit(id: string, request: IncomingMessage): Promise<{ maxBytes: number }> {
    return this.inContext(async () => {
      const bearer = /^Bearer (.+)$/i.exec(request.headers.authorization ?? '')?.[1];
      const secret = bearer ?? this.cookie.of(fastifyCookie.parse(request.headers.cookie ?? '')) ?? '';
      const principal = await this.credentials.authenticate(secret);
      if (!principal) throw new DomainError('unauthenticated', 'sign_in', 'Sign in, or send a token.');

      const model = await this.models.getOwned(principal, id);
      await this.models.expectArtifact(model);
      return { maxBytes: this.models.artifactLimit(model) };
    });
  }

  private async complete(upload: CompletedUpload): Promise<void> {
    const blob = await this.blobs.adopt(upload.path, {
      expectedDigest: upload.declaredDigest,
      knownDigest: upload.digest,
    });
    await this.receive(upload.id, blob);
  }

  private async inContext<T>(work: () => Promise<T>): Promise<T> {
    return RequestContext.create(this.orm.em, work);
  }
}

/** They were archived between their arrival and now. */
const gone = (): DomainError =>
  new DomainError('conflict', 'artifact_gone', 'These bytes were archived while they arrived: send them again.');
