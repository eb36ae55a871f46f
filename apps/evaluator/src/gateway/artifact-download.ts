import { createHash } from 'node:crypto';
import { open } from 'node:fs/promises';
import type { Assignment } from '@assay/contracts/gateway';
import { Retries } from './retries.js';
import type { OpenResponse } from './service-client.js';
import { ServiceError } from './service-error.js';

const PARTIAL_CONTENT = 206;

/**
 * Downloads an artifact to a new file at `path`. Continues after an interruption.
 * @param request sends a request for the artifact with these headers
 * @param signal ends the download
 * @throws Error if the bytes do not have the digest
 */
export async function downloadArtifact(
  path: string,
  { digest, size }: Pick<Assignment['artifact'], 'digest' | 'size'>,
  request: (headers: Readonly<Record<string, string>>) => Promise<OpenResponse>,
  signal: AbortSignal,
): Promise<void> {
  const retries = new Retries(signal);
  const hash = createHash('sha256');
  const file = await open(path, 'w', 0o600);
  let done = 0;

  const continueDownload = async () => {
    const range = done > 0 ? { range: `bytes=${done}-` } : {};
    const { status, chunks } = await request({ 'accept-encoding': 'identity', ...range });
    if (done > 0 && status !== PARTIAL_CONTENT) throw new Error('The service sent the artifact from its start again.');
    for await (const chunk of chunks) {
      await file.writeFile(chunk);
      hash.update(chunk);
      done += chunk.length;
      retries.reset();
    }
    if (done < size) throw new ServiceError(`The artifact ended after ${done} bytes.`, null, 'unreachable');
  };

  try {
    while (done < size) await continueDownload().catch((error: unknown) => retries.after(error));
  } finally {
    await file.close();
  }
  const found = hash.digest('hex');
  if (found !== digest) throw new Error(`The artifact was damaged: its sha256 is ${found} instead of ${digest}`);
}
