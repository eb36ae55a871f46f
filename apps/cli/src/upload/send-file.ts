import { createReadStream } from 'node:fs';
import { DetailedError, type HttpRequest, type HttpResponse, Upload } from 'tus-js-client';
import { CommandFailure } from '../command-failure.js';
import { refusalOf, unreachable } from '../connection/api.js';

export interface SendOptions {
  readonly path: string;
  /** In bytes. */
  readonly size: number;
  /** SHA-256, in hexadecimal. The server refuses other bytes. */
  readonly digest: string;
  readonly token: string | undefined;
  /** The server as this machine reaches it. The token is sent to no other server. */
  readonly server: string;
  /**
   * URL at which an upload is created; `location` is the URL of an existing one to resume. Both
   * contain the server's own public address.
   */
  readonly endpoint: string;
  readonly location: string | undefined;
  readonly onLocation: (location: string) => Promise<void>;
  readonly onProgress: (sent: number) => void;
  /** Called when an attempt is interrupted, with the reason and the pause in milliseconds. */
  readonly onCut: (why: Error, pause: number) => void;
}

/** Pauses between attempts after an interruption, in milliseconds. */
const PAUSES = [500, 1000, 3000, 5000, 10_000, 20_000];

/**
 * Uploads a file with the tus protocol. Resumes an interrupted upload, and retries after the pauses
 * in `PAUSES`.
 *
 * @throws CommandFailure if the server refuses the upload or stays unreachable
 */
export function sendFile(options: SendOptions): Promise<void> {
  const { path, size, digest, token, location, onLocation, onProgress, onCut } = options;
  const reached = (address: string): string => new URL(new URL(address).pathname, options.server).href;
  const endpoint = reached(options.endpoint);
  return new Promise((resolve, reject) => {
    const upload = new Upload(createReadStream(path), {
      endpoint,
      ...(location !== undefined && { uploadUrl: reached(location) }),
      uploadSize: size,
      metadata: { digest },
      ...(token !== undefined && { headers: { authorization: `Bearer ${token}` } }),
      retryDelays: PAUSES,
      storeFingerprintForResuming: false,
      onShouldRetry: (error, attempt) => {
        const status = error.originalResponse?.getStatus() ?? 0;
        if (!isWorthAnotherTry(status)) return false;
        onCut(status === 423 ? new Error(HELD) : uploadFailure(error, endpoint), PAUSES[attempt]!);
        return true;
      },
      onAfterResponse: async (request, response) => {
        refuseToBeginAnew(request, response);
        const created = request.getMethod() === 'POST' ? response.getHeader('Location') : undefined;
        // stored before any byte is sent, so that the bytes of an interrupted command can be
        // resumed
        if (created !== undefined) await onLocation(reached(created));
      },
      onUploadUrlAvailable: () => {
        if (upload.url !== null) upload.url = reached(upload.url);
      },
      onProgress,
      onSuccess: () => resolve(),
      onError: (error) => reject(uploadFailure(error, endpoint)),
    });
    upload.start();
  });
}

/**
 * Throws if the server is temporarily unable to report the offset of an upload. The tus client
 * would start a new upload, although the server may only be busy.
 */
function refuseToBeginAnew(request: HttpRequest, response: HttpResponse): void {
  const status = response.getStatus();
  if (request.getMethod() === 'HEAD' && isPassing(status)) throw refusalOf(status, response.getBody());
}

const isPassing = (status: number): boolean => status === 429 || status >= 500;

const HELD = 'The server has not noticed yet that the previous attempt was interrupted.';

/** 0 means a lost connection; 423 an earlier attempt whose end the server has not noticed yet. */
const isWorthAnotherTry = (status: number): boolean =>
  status === 0 || status === 409 || status === 423 || isPassing(status);

function uploadFailure(error: Error, endpoint: string): Error {
  if (!(error instanceof DetailedError)) return error;
  if (error.causingError instanceof CommandFailure) return error.causingError;
  const response = error.originalResponse;
  if (response) return refusalOf(response.getStatus(), response.getBody());
  return unreachable(endpoint, error.causingError ?? error);
}
