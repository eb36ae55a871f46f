import { signal } from '@angular/core';
import { DetailedError, type HttpRequest, type HttpResponse, Upload } from 'tus-js-client';
import { UploadRate } from './upload-rate.js';

/** A file of an upload that was begun, as the service has it. */
export interface EarlierUpload {
  readonly name: string;
  /** Bytes, of all of it. */
  readonly size: number;
  /** Bytes that are there. */
  readonly sent: number;
  /** When the file was changed last, in milliseconds since 1970. */
  readonly modified: number;
}

/** cut: the connection was lost, and it is tried again by itself. */
export type UploadState = 'sending' | 'cut' | 'paused' | 'done' | 'failed';

/** Why an upload ended early. `status` 0: no answer came for long. */
export interface UploadFailure {
  readonly status: number;
  readonly detail: string;
  readonly code: string;
}

/** Between attempts after a cut, in milliseconds; the last is taken again and again. */
const PAUSES = [500, 1000, 3000, 5000, ...Array<number>(60).fill(10_000)];

export const uploadAddress = (model: string): string => `/api/v1/models/${encodeURIComponent(model)}/upload`;

/** Sends the artifact of a model by tus, and says how far it is. */
export class ArtifactUpload {
  private readonly upload: Upload;
  private readonly rate = new UploadRate();
  private readonly current = signal<UploadState>('sending');
  private readonly bytes = signal(0);
  private readonly failed = signal<UploadFailure | null>(null);

  readonly state = this.current.asReadonly();
  /** Bytes that are there. */
  readonly sent = this.bytes.asReadonly();
  readonly failure = this.failed.asReadonly();
  readonly size: number;

  /** @param earlier what is there of the same file; it is gone on with */
  constructor(
    readonly file: File,
    model: string,
    earlier: EarlierUpload | null,
    private readonly onDone: () => void,
  ) {
    this.size = file.size;
    this.bytes.set(earlier?.sent ?? 0);
    const address = new URL(uploadAddress(model), location.href).href;
    this.upload = new Upload(file, {
      endpoint: address,
      ...(earlier && { uploadUrl: address }),
      metadata: { filename: file.name, modified: String(file.lastModified) },
      retryDelays: [...PAUSES],
      // what is there is asked of the service, which knows it in every browser
      storeFingerprintForResuming: false,
      onShouldRetry: (error) => this.isWorthAnotherTry(error),
      onAfterResponse: refuseToBeginAnew,
      onProgress: (sent) => this.progress(sent),
      onSuccess: () => this.end('done'),
      onError: (error) => this.fail(error),
    });
  }

  /** Bytes a second; null where that can't be told. Read it when `sent` changes. */
  get bytesPerSecond(): number | null {
    return this.rate.bytesPerSecond;
  }

  /** Milliseconds; null where that can't be told. */
  get left(): number | null {
    return this.rate.left(this.size);
  }

  /** Begins, or goes on. */
  start(): void {
    this.rate.restart();
    this.failed.set(null);
    this.current.set('sending');
    this.upload.start();
  }

  pause(): void {
    this.current.set('paused');
    void this.upload.abort();
  }

  /** Stops for good where nobody looks at it any more; what is there stays. */
  leave(): void {
    if (this.current() === 'sending' || this.current() === 'cut') this.pause();
  }

  private progress(sent: number): void {
    if (this.current() === 'paused') return;
    this.rate.take(sent, performance.now());
    this.bytes.set(sent);
    this.current.set('sending');
  }

  private isWorthAnotherTry(error: Error): boolean {
    if (this.current() === 'paused') return false;
    const status = error instanceof DetailedError ? (error.originalResponse?.getStatus() ?? 0) : 0;
    // 409 and 423: an attempt whose end the service has not seen yet
    const isCut = status === 0 || status === 409 || status === 423 || (isPassing(status) && status !== 507);
    if (isCut) this.current.set('cut');
    return isCut;
  }

  private end(state: UploadState): void {
    this.bytes.set(this.size);
    this.current.set(state);
    this.onDone();
  }

  private fail(error: Error): void {
    if (this.current() === 'paused') return;
    this.failed.set(failureOf(error));
    this.current.set('failed');
  }
}

/** The client would begin anew wherever it is not told how much is there, though the service may only be busy. */
function refuseToBeginAnew(request: HttpRequest, response: HttpResponse): void {
  const status = response.getStatus();
  if (request.getMethod() === 'HEAD' && isPassing(status)) throw new Error(`the service answered with ${status}`);
}

const isPassing = (status: number): boolean => status === 429 || status >= 500;

function failureOf(error: Error): UploadFailure {
  const response = error instanceof DetailedError ? error.originalResponse : null;
  if (!response) {
    const detail = $localize`The service can't be reached. What was sent is stored for two days: continue when the connection is back.`;
    return { status: 0, code: 'unreachable', detail };
  }
  const status = response.getStatus();
  try {
    const { code, detail } = JSON.parse(response.getBody()) as { code?: string; detail?: string };
    if (code !== undefined && detail !== undefined) return { status, code, detail };
  } catch {
    // no problem details: a proxy answered
  }
  return { status, code: 'unexpected', detail: $localize`The service answered with ${status}:status:.` };
}
