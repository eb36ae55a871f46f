import { Injectable, signal } from '@angular/core';
import { Subject } from 'rxjs';
import { DetailedError, type HttpRequest, type HttpResponse, Upload } from 'tus-js-client';
import { UploadRate } from './upload-rate.js';

/** An unfinished upload, as the service reports it. */
export interface EarlierUpload {
  readonly name: string;
  /** The size of the whole file, in bytes. */
  readonly size: number;
  /** The bytes that the service has received. */
  readonly sent: number;
  /** The file's modification time, in milliseconds since 1970. */
  readonly modified: number;
}

/** `cut`: the connection was lost, and the client retries automatically. */
export type UploadState = 'sending' | 'cut' | 'paused' | 'done' | 'failed';

/** The reason why an upload failed. `status` 0: the service did not respond to any retry. */
export interface UploadFailure {
  readonly status: number;
  readonly detail: string;
  readonly code: string;
}

/**
 * Milliseconds between retries after a lost connection. The last delay applies 60 times, about ten
 * minutes.
 */
const PAUSES = [500, 1000, 3000, 5000, ...Array<number>(60).fill(10_000)];

export const uploadAddress = (model: string): string => `/api/v1/models/${encodeURIComponent(model)}/upload`;

/** Uploads the artifact of a model by tus and reports the progress. */
export class ArtifactUpload {
  private readonly upload: Upload;
  private readonly rate = new UploadRate();
  private readonly current = signal<UploadState>('sending');
  private readonly bytes = signal(0);
  private readonly failed = signal<UploadFailure | null>(null);

  readonly state = this.current.asReadonly();
  /** The bytes that the service has received. */
  readonly sent = this.bytes.asReadonly();
  readonly failure = this.failed.asReadonly();
  readonly size: number;

  /** @param earlier The unfinished upload of the same file, to resume. */
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
      // the service knows the offset, also for an upload begun in another browser
      storeFingerprintForResuming: false,
      onShouldRetry: (error) => this.isWorthAnotherTry(error),
      onAfterResponse: refuseToBeginAnew,
      onProgress: (sent) => this.progress(sent),
      onSuccess: () => this.end(),
      onError: (error) => this.fail(error),
    });
  }

  /**
   * The upload rate in bytes per second; null if unknown. Not a signal: read it when `sent`
   * changes.
   */
  get bytesPerSecond(): number | null {
    return this.rate.bytesPerSecond;
  }

  /** The estimated time left in milliseconds; null if unknown. Not a signal. */
  get left(): number | null {
    return this.rate.left(this.size);
  }

  /** Starts or resumes the upload. */
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

  /** Pauses the upload when another one replaces it. The service keeps the received bytes. */
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
    // 409 and 423: the service has not yet noticed the end of an earlier attempt
    const isCut = status === 0 || status === 409 || status === 423 || (isPassing(status) && status !== 507);
    if (isCut) this.current.set('cut');
    return isCut;
  }

  private end(): void {
    this.bytes.set(this.size);
    this.current.set('done');
    this.onDone();
  }

  private fail(error: Error): void {
    if (this.current() === 'paused') return;
    this.failed.set(failureOf(error));
    this.current.set('failed');
  }
}

/**
 * Aborts the attempt if the service is busy. Without an offset from HEAD, the tus client would
 * start the upload from the beginning.
 * @throws Error if the response to HEAD is a temporary error.
 */
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
    // no problem details: the response came from a proxy
  }
  return { status, code: 'unexpected', detail: $localize`The service answered with ${status}:status:.` };
}

/** The uploads of this window, by model. They continue while the user visits other pages. */
@Injectable({ providedIn: 'root' })
export class Uploads {
  private readonly known = signal<ReadonlyMap<string, ArtifactUpload>>(new Map());
  private readonly arrivals = new Subject<string>();

  /** Emits the id of a model when its artifact is uploaded completely. */
  readonly arrived = this.arrivals.asObservable();

  /** Returns the upload of a model; undefined if none was started in this window. */
  of(model: string | undefined): ArtifactUpload | undefined {
    return model === undefined ? undefined : this.known().get(model);
  }

  begin(model: string, file: File, earlier: EarlierUpload | null): void {
    this.of(model)?.leave();
    const upload = new ArtifactUpload(file, model, earlier, () => this.arrivals.next(model));
    this.known.update((known) => new Map(known).set(model, upload));
    upload.start();
  }
}
