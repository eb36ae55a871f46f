import { AsyncLocalStorage } from 'node:async_hooks';
import { randomBytes } from 'node:crypto';
import { chmodSync, mkdirSync } from 'node:fs';
import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http';
import { statusOfRefusal } from '@assay/contracts';
import { DomainError } from '@assay/kernel';
import { Server, Upload } from '@tus/server';
import { isStorageFull, storageFull } from './storage-errors.js';
import { ownerOf, UploadFiles } from './upload-files.js';

/** The terms on which a request may send bytes. */
export interface UploadTerms {
  /** The size of the largest file that is accepted, in bytes. */
  readonly maxBytes: number;
  /**
   * Called with the number of bytes that arrived, before they are written. An error refuses them.
   */
  readonly onBytes?: (count: number) => Promise<void>;
  /** Called once the request is answered. */
  readonly onEnd?: () => void;
}

export interface CompletedUpload {
  /** The ID in the address, for example that of the model. */
  readonly id: string;
  /** The file with all bytes. `onComplete` may move it away; otherwise it is removed. */
  readonly path: string;
  /** The size in bytes. */
  readonly size: number;
  /** The sha256 of the file, in lower-case hexadecimal, if it was computed as the bytes arrived. */
  readonly digest?: string;
  /**
   * The sha256 that the sender declared in the upload's metadata as `digest`, in lower-case
   * hexadecimal.
   */
  readonly declaredDigest?: string;
}

export interface UploadServerOptions {
  /**
   * The folder for arriving bytes. It is on the blob store's file system, so that the bytes need
   * not be copied.
   */
  readonly directory: string;
  /** The path of an upload address, with `:id` as a placeholder: `/api/v1/models/:id/upload`. */
  readonly route: string;
  /** The public URL of the service. Without it, the Location of an upload is a path. */
  readonly publicUrl?: string | undefined;
  /**
   * Called before every request; returns the terms for sending to `id`.
   * @throws DomainError to refuse the request
   */
  readonly admit: (id: string, request: IncomingMessage) => Promise<UploadTerms>;
  /**
   * Called once all bytes of an upload have arrived, before the sender gets the response. A
   * DomainError refuses the upload: the sender receives its message, and the bytes are removed
   * unless its kind is `unavailable`. After any other error the bytes stay, and `onComplete` is
   * called again when the sender asks again, or by `recover`.
   */
  readonly onComplete: (upload: CompletedUpload) => Promise<void>;
  /**
   * Returns the problem that the sender receives for an error that is not a refusal. Default: 500
   * `internal`.
   */
  readonly onFault?: (error: unknown) => UploadProblem;
}

/** The response to a request that is refused or fails. */
export interface UploadProblem {
  /** The HTTP status. */
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
 * Resumable uploads with the tus protocol 1.0.0, over Node's raw request and response. Each ID has
 * one address, which supports both patterns of tus clients. A POST to it creates an upload, whose
 * Location is `<address>/<upload>`. HEAD and PATCH to it continue the upload in progress, or a
 * fresh one of unknown length. An ID has one upload at a time: a new one replaces an incomplete
 * one. All state is on disk, so an upload survives the process.
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
        // the refusals of the protocol itself
        if (!(error instanceof Error)) return undefined;
        const problem = this.problemOf(error);
        prepare(this.current().response, problem);
        return { status_code: problem.status, body: bodyOf(problem) };
      },
    });
  }

  /** Returns the address for the bytes of `id`; absolute if the public URL is known. */
  address(id: string): string {
    return `${this.options.publicUrl?.replace(/\/$/, '') ?? ''}${this.options.route.replace(':id', id)}`;
  }

  /** Answers one request at an upload address. Always responds, because no other handler will. */
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

  /**
   * Completes uploads whose last byte arrived just before the process ended.
   * @returns the number of uploads completed
   */
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

  /**
   * Removes uploads that received nothing for `abandonedAfter` milliseconds (default: two days).
   * @returns the number of uploads removed
   */
  async sweep(now: Date, abandonedAfter = ABANDONED): Promise<number> {
    return this.files.removeUntouched(new Date(now.getTime() - abandonedAfter));
  }

  /** Returns the bytes that incomplete uploads occupy or announce, by the ID in their address. */
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
      // all bytes may be here although `onComplete` did not succeed: the process ended, or a
      // refusal was temporary
      if (await this.isWhole(target)) await this.complete(target);
    }
    await this.tus.handle(request, response);
  }

  /** Returns the upload to which a request without an upload ID refers. */
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

  /** Completes an upload at most once at a time; concurrent callers share the outcome. */
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
    if (!exchange) throw new Error('uploads are handled only by UploadServer.handle');
    return exchange;
  }
}

/** Sets the content type of problems, whose JSON would otherwise be sent as plain text. */
class ProblemServer extends Server {
  override write(...[context, headers, status, body]: Parameters<Server['write']>): ReturnType<Server['write']> {
    if (body?.startsWith('{')) headers.set('content-type', PROBLEM);
    return super.write(context, headers, status, body);
  }
}

const PROBLEM = 'application/problem+json';
const FAULT: UploadProblem = { status: 500, code: 'internal', detail: 'Internal server error. Try again later.' };
/** Seconds. */
const RETRY_AFTER = 5;

/** Sets `retry-after` on problems that are temporary. */
function prepare(response: ServerResponse, { status }: UploadProblem): void {
  if (status === 503 || status === 507) response.setHeader('retry-after', RETRY_AFTER);
}

function refuse(response: ServerResponse, problem: UploadProblem): void {
  prepare(response, problem);
  response.writeHead(problem.status, { 'content-type': PROBLEM, 'tus-resumable': '1.0.0' });
  response.end(bodyOf(problem));
}

/** Encodes RFC 9457 problem details. */
const bodyOf = (problem: UploadProblem): string =>
  JSON.stringify({ type: 'about:blank', title: STATUS_CODES[problem.status] ?? 'Something went wrong', ...problem });
