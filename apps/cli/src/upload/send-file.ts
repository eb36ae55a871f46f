import { createReadStream } from 'node:fs';
import { DetailedError, Upload } from 'tus-js-client';
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
}

/** Between attempts after a cut, in milliseconds. */
const PAUSES = [500, 1000, 3000, 5000, 10_000, 20_000];

/** Sends a file by tus: goes on where an earlier attempt was cut, and tries again by itself for a while. */
export function sendFile(options: SendOptions): Promise<void> {
  const { path, size, digest, token, location, onLocation, onProgress } = options;
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
      onShouldRetry: (error) => isWorthAnotherTry(error.originalResponse?.getStatus() ?? 0),
      onUploadUrlAvailable: () => {
        if (upload.url === null) return;
        upload.url = reached(upload.url);
        void onLocation(upload.url);
      },
      onProgress,
      onSuccess: () => resolve(),
      onError: (error) => reject(uploadFailure(error, endpoint)),
    });
    upload.start();
  });
}

/** 0 is a connection that was cut; 423 an attempt whose end the server has not seen yet. */
const isWorthAnotherTry = (status: number): boolean =>
  status === 0 || status === 409 || status === 423 || status >= 500;

function uploadFailure(error: Error, endpoint: string): Error {
  if (!(error instanceof DetailedError)) return error;
  const response = error.originalResponse;
  if (response) return refusalOf(response.getStatus(), response.getBody());
  return unreachable(endpoint, error.causingError ?? error);
}
