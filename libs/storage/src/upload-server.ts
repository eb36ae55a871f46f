import { AsyncLocalStorage } from 'node:async_hooks';
import { randomBytes } from 'node:crypto';
import { chmodSync, mkdirSync } from 'node:fs';
import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http';
import { statusOfRefusal } from '@assay/contracts';
import { DomainError } from '@assay/kernel';
import { Server, Upload } from '@tus/server';
import { isStorageFull, storageFull } from './storage-errors.js';
import { ownerOf, UploadFiles } from './upload-files.js';

/** What the sender may do. */
export interface UploadTerms {
  /** The largest file that is taken, in bytes. */
  readonly maxBytes: number;
  /** Told of bytes as they come, before they are written. What it throws refuses them. */
  readonly onBytes?: (count: number) => Promise<void>;
  /** Told once the request is answered. */
  readonly onEnd?: () => void;
}

export interface CompletedUpload {
  /** The id in the address, e.g. the model's. */
  readonly id: string;
  /** The file with all bytes; whoever is told may move it away, else it is removed. */
  readonly path: string;
  /** Bytes. */
  readonly size: number;
  /** The sha256 of the file, in lower-case hexadecimal, where it was computed as the bytes came. */
  readonly digest?: string;
  /** The sha256 that the sender announced in the upload's metadata as `digest`, in lower-case hexadecimal. */
  readonly declaredDigest?: string;
}

export interface UploadServerOptions {
  /** Where the bytes lie while they arrive; on the blob store's file system, so that they need not be copied. */
  readonly directory: string;
  /** The path of an upload address, with `:id` for the id: `/api/v1/models/:id/upload`. */
  readonly route: string;
  /** How users reach the service; without it the Location of an upload is a path. */
  readonly publicUrl?: string | undefined;
  /** Asked before every request: who may send to `id`, and how much. Refuses by a DomainError. */
  readonly admit: (id: string, request: IncomingMessage) => Promise<UploadTerms>;
  /**
   * Told once all bytes of an upload are there, before the sender gets the answer. A DomainError refuses the upload (its
   * message reaches the sender, and the bytes are removed, unless it is `unavailable`); on any other error the bytes stay,
   * and it is told again when the sender asks again, or by `recover`.
   */
  readonly onComplete: (upload: CompletedUpload) => Promise<void>;
  /** What the sender is told of an error that is no refusal; default: that something went wrong here. */
  readonly onFault?: (error: unknown) => UploadProblem;
}

/** How a request is refused. */
export interface UploadProblem {
  /** Of HTTP. */
  readonly status: number;
  readonly code: string;
  readonly detail: string;
}

interface Exchange {
  readonly id: string;
  readonly terms: UploadTerms;
  readonly response: ServerResponse;
}

const METHODS = new Set(['POST', 'HEAD', 'PATCH', 'DELETE', 'OPTIONS']);
const DIGEST = /^[0-9a-f]{64}$/;
const ABANDONED = 48 * 3600 * 1000;

/**
 * Resumable uploads by the tus protocol 1.0.0, over node's raw request and response. Each id has one address, which takes
 * both ways of a tus client: a POST to it creates an upload (its Location is `<address>/<upload>`), and HEAD and PATCH to
 * it go on with the upload under way, or with a fresh one of unknown length. An id has one upload at a time: a new one
 * replaces what was not completed. All state is on the disk, so an upload outlives the process.
 */
export class UploadServer {
  private readonly files: UploadFiles;
  private readonly tus: Server;
  private readonly exchange = new AsyncLocalStorage<Exchange>();
  private readonly completing = new Map<string, Promise<void>>();
  private readonly pattern: RegExp;

  constructor(private readonly options: UploadServerOptions) {
    mkdirSync(options.directory, { recursive: true, mode: 0o700 });
    chmodSync(options.directory, 0o700);
    this.files = new UploadFiles(options.directory, (count) => this.current().terms.onBytes?.(count));
    this.pattern = new RegExp(`^${options.route.replace(':id', '([\\w-]+)')}(?:/([\\w-]+\\.[0-9a-f]+))?/?$`);
    this.tus = new ProblemServer({
      path: options.route,
      datastore: this.files,
      allowedOrigins: [],
      disableTerminationForFinishedUploads: true,
      maxSize: () => this.current().terms.maxBytes,
      namingFunction: () => `${this.current().id}.${randomBytes(8).toString('hex')}`,
      generateUrl: (_, { id }) => `${this.address(ownerOf(id))}/${id}`,
      getFileIdFromRequest: (request) => this.parse(new URL(request.url).pathname)?.uploadId,
      onUploadCreate: (_, upload) => this.replaceEarlier(upload),
      onUploadFinish: async (_, upload) => {
        await this.complete(upload.id);
        return {};
      },
      onResponseError: (_, error) => {
        // the protocol's own refusals
        if (!(error instanceof Error)) return undefined;
        const problem = this.problemOf(error);
        prepare(this.current().response, problem);
        return { status_code: problem.status, body: bodyOf(problem) };
      },
    });
  }

  /** Where to send the bytes of `id`: absolute if the public address is known. */
  address(id: string): string {
    return `${this.options.publicUrl?.replace(/\/$/, '') ?? ''}${this.options.route.replace(':id', id)}`;
  }

  /** Answers one request at an upload address, whatever happens: nobody else will. */
  async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let terms: UploadTerms | undefined;
    try {
      const target = this.parse((request.url ?? '').split('?')[0]!);
      if (!target || !METHODS.has(request.method ?? '')) throw DomainError.notFound('upload');
      if (target.uploadId !== undefined && ownerOf(target.uploadId) !== target.id) throw DomainError.notFound('upload');

      terms = await this.options.admit(target.id, request);
      const exchange = { id: target.id, terms, response };
      await this.exchange.run(exchange, () => this.answer(request, response, target.uploadId));
    } catch (error) {
      if (!response.headersSent) refuse(response, this.problemOf(error));
    } finally {
      terms?.onEnd?.();
    }
  }

  /** Tells of uploads whose last byte arrived just before the process ended. @returns how many were completed. */
  async recover(): Promise<number> {
    let completed = 0;
    for (const uploadId of await this.files.unfinished()) {
      if (!(await this.isWhole(uploadId))) continue;
      await this.complete(uploadId).then(
        () => completed++,
        () => undefined,
      );
    }
    return completed;
  }

  /** Removes uploads that nobody has sent to for `abandonedAfter` milliseconds (two days). @returns how many. */
  async sweep(now: Date, abandonedAfter = ABANDONED): Promise<number> {
    return this.files.removeUntouched(new Date(now.getTime() - abandonedAfter));
  }

  /** Bytes that uploads which are not complete take or announce, by the id that they are for. */
  async arriving(): Promise<ReadonlyMap<string, number>> {
    const bytes = new Map<string, number>();
    for (const uploadId of await this.files.unfinished()) {
      const upload = await this.files.getUpload(uploadId).catch(() => null);
      if (!upload) continue;
      const id = ownerOf(uploadId);
      bytes.set(id, (bytes.get(id) ?? 0) + Math.max(upload.size ?? 0, upload.offset));
    }
    return bytes;
  }

  private async answer(
    request: IncomingMessage,
    response: ServerResponse,
    uploadId: string | undefined,
  ): Promise<void> {
    if (request.method === 'HEAD' || request.method === 'PATCH' || request.method === 'DELETE') {
      const target = uploadId ?? (await this.uploadUnderWay());
      request.url = `${this.options.route.replace(':id', this.current().id)}/${target}`;
      // all bytes may be here without anyone having been told of them: the process ended, or was refused for a while
      if (await this.isWhole(target)) await this.complete(target);
    }
    await this.tus.handle(request, response);
  }

  /** The upload that a request without an upload id means. */
  private async uploadUnderWay(): Promise<string> {
    const { id } = this.current();
    const [known] = [...(await this.files.unfinished(id)), ...(await this.files.completed(id))];
    if (known !== undefined) return known;

    const uploadId = `${id}.${randomBytes(8).toString('hex')}`;
    await this.files.create(new Upload({ id: uploadId, offset: 0 }));
    return uploadId;
  }

  private async replaceEarlier(upload: Upload): Promise<{ metadata?: Upload['metadata'] }> {
    const digest = upload.metadata?.digest;
    if (digest !== undefined && (digest === null || !DIGEST.test(digest))) {
      throw new DomainError(
        'invalid',
        'invalid_digest',
        "The upload's metadata `digest` is not a sha256 in hexadecimal.",
      );
    }
    for (const earlier of await this.files.unfinished(ownerOf(upload.id))) {
      if (!this.completing.has(earlier)) await this.files.discard(earlier);
    }
    return {};
  }

  private async isWhole(uploadId: string): Promise<boolean> {
    if ((await this.files.completedSize(uploadId)) !== null) return false;
    try {
      const upload = await this.files.getUpload(uploadId);
      return upload.size !== undefined && upload.offset === upload.size;
    } catch {
      return false;
    }
  }

  /** At most once at a time for an upload; whoever comes meanwhile waits for the same outcome. */
  private complete(uploadId: string): Promise<void> {
    const running = this.completing.get(uploadId);
    if (running) return running;
    const completing = this.tell(uploadId).finally(() => this.completing.delete(uploadId));
    this.completing.set(uploadId, completing);
    return completing;
  }

  private async tell(uploadId: string): Promise<void> {
    const { size = 0, metadata } = await this.files.getUpload(uploadId);
    const digest = this.files.takeDigest(uploadId, size);
    try {
      await this.options.onComplete({
        id: ownerOf(uploadId),
        path: this.files.fileOf(uploadId),
        size,
        ...(digest !== undefined && { digest }),
        ...(metadata?.digest ? { declaredDigest: metadata.digest } : {}),
      });
    } catch (error) {
      if (error instanceof DomainError && error.kind !== 'unavailable') await this.files.discard(uploadId);
      throw error;
    }
    await this.files.markCompleted(uploadId, size);
  }

  private parse(path: string): { id: string; uploadId: string | undefined } | null {
    const match = this.pattern.exec(path);
    return match ? { id: match[1]!, uploadId: match[2] } : null;
  }

  private problemOf(error: unknown): UploadProblem {
    const refused = isStorageFull(error) ? storageFull() : error;
    if (!(refused instanceof DomainError)) return this.options.onFault?.(refused) ?? FAULT;
    return { status: statusOfRefusal(refused), code: refused.code, detail: refused.message };
  }

  private current(): Exchange {
    const exchange = this.exchange.getStore();
    if (!exchange) throw new Error('an upload is handled by UploadServer.handle only');
    return exchange;
  }
}

/** Says of a problem what it is: else its JSON would be sent as plain text. */
class ProblemServer extends Server {
  override write(...[context, headers, status, body]: Parameters<Server['write']>): ReturnType<Server['write']> {
    if (body?.startsWith('{')) headers.set('content-type', PROBLEM);
    return super.write(context, headers, status, body);
  }
}

const PROBLEM = 'application/problem+json';
const FAULT: UploadProblem = { status: 500, code: 'internal', detail: 'Something went wrong here, not with you.' };
/** Seconds. */
const RETRY_AFTER = 5;

/** Of what ends by itself it is told when to try again. */
function prepare(response: ServerResponse, { status }: UploadProblem): void {
  if (status === 503 || status === 507) response.setHeader('retry-after', RETRY_AFTER);
}

function refuse(response: ServerResponse, problem: UploadProblem): void {
  prepare(response, problem);
  response.writeHead(problem.status, { 'content-type': PROBLEM, 'tus-resumable': '1.0.0' });
  response.end(bodyOf(problem));
}

/** As RFC 9457 problem details. */
const bodyOf = (problem: UploadProblem): string =>
  JSON.stringify({ type: 'about:blank', title: STATUS_CODES[problem.status] ?? 'Something went wrong', ...problem });
