import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';
import { emptyArtifact, ReceiveArtifact, type ReceivedArtifact } from '@assay/application';
import { CredentialsService } from '@assay/identity';
import { type Actor } from '@assay/identity/audit';
import { DomainError } from '@assay/kernel';
import { Metrics } from '@assay/observability';
import {
  type Blob,
  BLOB_STORE,
  type BlobStore,
  type CompletedUpload,
  type PutOptions,
  UploadServer,
  type UploadTerms,
} from '@assay/storage';
import { Model, ModelsService } from '@assay/submissions';
import { UserStorageService } from '@assay/submissions/artifacts';
import { fastifyCookie } from '@fastify/cookie';
import { EntityManager, MikroORM, RequestContext } from '@mikro-orm/postgresql';
import { Inject, Injectable, Logger, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { Arrivals, type StorageState } from './arrivals.js';
import { bearerOf } from '../auth/callers.js';
import { SessionCookie } from '../auth/session-cookie.js';
import { Environment } from '../environment.js';
import { faultProblem } from '../problem.filter.js';

const SWEEP_MILLISECONDS = 3_600_000;

/** The body of a plain request. */
interface PlainBody {
  /** In bytes, if known. */
  readonly length: number | undefined;
  /** Stores it. */
  readonly put: (limits: PutOptions) => Promise<Blob>;
}

/**
 * Receives the bytes of artifacts from plain requests and resumable uploads, and passes them to
 * `ReceiveArtifact`.
 */
@Injectable()
export class ArtifactReception implements OnApplicationBootstrap, OnModuleDestroy {
  /** The arrivals in progress. */
  readonly arrivals = new Arrivals((userId) => this.storageState(userId));
  private readonly logger = new Logger(ArtifactReception.name);
  private readonly uploads: UploadServer;
  private readonly abandoned: ReturnType<Metrics['counter']>;
  private sweeping: NodeJS.Timeout | undefined;
  private readonly addresses = new WeakMap<IncomingMessage, string>();
  /**
   * The senders of uploads by model. The sender is unknown if the upload completes after a restart.
   */
  private readonly senders = new Map<string, Actor>();

  constructor(
    private readonly orm: MikroORM,
    private readonly em: EntityManager,
    private readonly models: ModelsService,
    private readonly credentials: CredentialsService,
    private readonly receiveArtifact: ReceiveArtifact,
    private readonly cookie: SessionCookie,
    private readonly storage: UserStorageService,
    @Inject(BLOB_STORE) private readonly blobs: BlobStore,
    environment: Environment,
    metrics: Metrics,
  ) {
    this.abandoned = metrics.counter('assay_uploads_abandoned_total', 'Abandoned uploads that were removed', []);
    this.uploads = new UploadServer({
      directory: join(environment.home, 'uploads'),
      route: '/api/v1/models/:id/upload',
      publicUrl: environment.publicUrl,
      admit: (id, request) => this.admit(id, request),
      onComplete: (upload) => this.inContext(() => this.complete(upload)),
      onFault: (error) => {
        this.logger.error(error);
        return faultProblem(error);
      },
    });
  }

  async onApplicationBootstrap(): Promise<void> {
    await this.sweep();
    this.sweeping = setInterval(() => void this.sweep(), SWEEP_MILLISECONDS).unref();
    await this.uploads.recover();
  }

  onModuleDestroy(): void {
    clearInterval(this.sweeping);
  }

  uploadAddress(modelId: string): string {
    return this.uploads.address(modelId);
  }

  /**
   * Handles a request of a resumable upload.
   * @param address the address of the client
   */
  async handleUpload(request: IncomingMessage, response: ServerResponse, address: string): Promise<void> {
    this.addresses.set(request, address);
    await this.uploads.handle(request, response);
  }

  /** Returns the bytes of the uploads in progress to models of this user. */
  async arriving(userId: string): Promise<number> {
    const uploads = await this.underWay(userId);
    return uploads.reduce((sum, { bytes }) => sum + bytes, 0);
  }

  /**
   * Returns the incomplete uploads to models of this user, with the bytes that they occupy or
   * announce.
   */
  async underWay(userId: string): Promise<{ readonly model: Model; readonly bytes: number }[]> {
    const bytes = await this.uploads.arriving();
    const own = await this.storage.ownModels(userId, [...bytes.keys()]);
    return own.map((model) => ({ model, bytes: bytes.get(model.id)! }));
  }

  /**
   * Receives an artifact that is sent as a plain body.
   * @param receiver the use case that gets the stored bytes
   * @throws DomainError `storage_quota`, and those of the use case
   */
  async take(
    model: Model,
    { length, put }: PlainBody,
    actor: Actor,
    receiver: Pick<ReceiveArtifact, 'execute'> = this.receiveArtifact,
  ): Promise<ReceivedArtifact & { readonly artifact: Blob }> {
    const arrival = await this.arrivals.open(model.owner.id, { upload: model.id, announced: length });
    try {
      const artifact = await put({
        maxBytes: model.task.definition.limits.artifact,
        onBytes: (count) => arrival.add(count),
      });
      return { ...(await receiver.execute(model.id, artifact, actor)), artifact };
    } finally {
      arrival.end();
    }
  }

  private async admit(id: string, request: IncomingMessage): Promise<UploadTerms> {
    return this.inContext(async () => {
      const secret = bearerOf(request) ?? this.cookie.of(fastifyCookie.parse(request.headers.cookie ?? '')) ?? '';
      const principal = await this.credentials.authenticate(secret);
      if (!principal) throw new DomainError('unauthenticated', 'sign_in', 'Sign in, or send a token.');

      const model = await this.models.getOwned(principal, id);
      await this.models.expectArtifact(model);
      const terms = { maxBytes: model.task.definition.limits.artifact };
      if (request.method !== 'POST' && request.method !== 'PATCH') return terms;
      const arrival = await this.arrivals.open(model.owner.id, { upload: model.id, ...announcementOf(request) });
      this.remember(id, { userId: principal.userId, ...addressOf(this.addresses.get(request)) });
      return { ...terms, onBytes: (count) => arrival.add(count), onEnd: () => arrival.end() };
    });
  }

  private async storageState(userId: string): Promise<StorageState> {
    const use = await this.storage.of(userId);
    const uploads = await this.underWay(userId);
    return { use, uploads: new Map(uploads.map(({ model, bytes }) => [model.id, bytes])) };
  }

  private async sweep(): Promise<void> {
    const abandoned = await this.uploads.sweep(new Date()).catch((error: unknown) => {
      this.logger.warn((error as Error).message);
      return 0;
    });
    this.abandoned.inc(abandoned);
    if (abandoned > 0) this.logger.log(`removed ${abandoned} abandoned uploads`);
  }

  private async complete(upload: CompletedUpload): Promise<void> {
    if (upload.size === 0) throw emptyArtifact();
    // the file stays until the artifact is accepted: a sender whose connection ends before that
    // gets the same result for the same bytes
    const blob = await this.blobs.adopt(upload.path, {
      source: 'kept',
      expectedDigest: upload.declaredDigest,
      knownDigest: upload.digest,
    });
    const sender = this.senders.get(upload.id) ?? (await this.ownerOf(upload.id));
    await this.receiveArtifact.execute(upload.id, blob, sender);
    this.senders.delete(upload.id);
  }

  /** Remembers the sender of an upload. Their number is bounded, because some uploads never end. */
  private remember(id: string, sender: Actor): void {
    this.senders.delete(id);
    if (this.senders.size >= MOST_SENDERS) this.senders.delete(this.senders.keys().next().value!);
    this.senders.set(id, sender);
  }

  private async ownerOf(id: string): Promise<Actor> {
    const { owner } = await this.em.findOneOrFail(Model, id);
    return { userId: owner.id };
  }

  private async inContext<T>(work: () => Promise<T>): Promise<T> {
    return RequestContext.create(this.orm.em, work);
  }
}

const MOST_SENDERS = 1_000;

const addressOf = (address: string | undefined): { readonly address?: string } =>
  address === undefined ? {} : { address };

/**
 * Returns the bytes of an upload that a request announces: those that have arrived, and those that
 * will have.
 */
function announcementOf({ headers }: IncomingMessage): { readonly from: number; readonly announced: number } {
  const bytes = (name: string): number => Math.max(0, Number(headers[name] ?? 0) || 0);
  const from = bytes('upload-offset');
  return { from, announced: Math.max(bytes('upload-length'), from + bytes('content-length')) };
}
