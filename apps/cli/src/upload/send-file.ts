import { createReadStream } from 'node:fs';
import { DetailedError, type HttpRequest, type HttpResponse, Upload } from 'tus-js-client';
import { CommandFailure } from '../command-failure.js';
import { refusalOf, unreachable } from '../connection/api.js';

export interface SendOptions {
  readonly path: string;
  /** Bytes. */
  readonly size: number;
  /** sha256, hexadecimal: the server refuses other bytes. */
  readonly digest: string;
  readonly token: string | undefined;
  /** The server as this machine reaches it; the token is sent to no other. */
  readonly server: string;
  /** Where an upload is created, and where one that was begun goes on: as the server calls itself. */
  readonly endpoint: string;
  readonly location: string | undefined;
  readonly onLocation: (location: string) => Promise<void>;
  readonly onProgress: (sent: number) => void;
  /** Told why an attempt ended, and how many milliseconds the next one waits. */
  readonly onCut: (why: Error, pause: number) => void;
}

/** Between attempts after a cut, in milliseconds. */
const PAUSES = [500, 1000, 3000, 5000, 10_000, 20_000];

/** Sends a file by tus: goes on where an earlier attempt was cut, and tries again by itself for a while. */
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
        // before any byte is sent: else a command that ends soon would leave bytes that none goes on with
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

/** The client would begin anew wherever it is not told how much is there, though the server may only be busy. */
function refuseToBeginAnew(request: HttpRequest, response: HttpResponse): void {
  const status = response.getStatus();
  if (request.getMethod() === 'HEAD' && isPassing(status)) throw refusalOf(status, response.getBody());
}

const isPassing = (status: number): boolean => status === 429 || status >= 500;

const HELD = 'The server has not seen yet that the attempt before was cut.';

/** 0 is a connection that was cut; 423 an attempt whose end the server has not seen yet. */
const isWorthAnotherTry = (status: number): boolean =>
  status === 0 || status === 409 || status === 423 || isPassing(status);

function uploadFailure(error: Error, endpoint: string): Error {
  if (!(error instanceof DetailedError)) return error;
  if (error.causingError instanceof CommandFailure) return error.causingError;
  const response = error.originalResponse;
  if (response) return refusalOf(response.getStatus(), response.getBody());
  return unreachable(endpoint, error.causingError ?? error);
}
