import { createHash, randomBytes } from 'node:crypto';
import { chmod, mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { DomainError } from '@assay/kernel';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { DetailedError, Upload, type UploadOptions } from 'tus-js-client';
import { LocalBlobStore } from './local-blob-store.js';
import { type CompletedUpload, UploadServer, type UploadTerms } from './upload-server.js';

const MAX_BYTES = 4 * 1024 * 1024;
const sha256 = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');

describe('UploadServer', () => {
  const bytes = randomBytes(3 * 1024 * 1024 + 17);
  let folder: string;
  let blobs: LocalBlobStore;
  let http: Server;
  let uploads: UploadServer;
  let address: string;
  let completed: (CompletedUpload & { digest: string })[];
  let onComplete: (upload: CompletedUpload) => Promise<void>;
  let admitting: (id: string, request: IncomingMessage) => Promise<UploadTerms>;
  let requests: string[];
  let onRequest: (request: IncomingMessage) => void;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'assay-uploads-'));
    blobs = new LocalBlobStore(folder);
    completed = [];
    requests = [];
    onRequest = () => undefined;
    admitting = (id, request) => {
      if (request.headers.authorization !== 'Bearer mine') throw DomainError.notFound('model');
      return Promise.resolve({ maxBytes: id === 'small' ? 100 : MAX_BYTES });
    };
    onComplete = async (upload) => {
      const { digest } = await blobs.adopt(upload.path, { expectedDigest: upload.declaredDigest });
      completed.push({ ...upload, digest });
    };
    http = createServer((request, response) => {
      requests.push(`${request.method} ${request.url}`);
      onRequest(request);
      void uploads.handle(request, response);
    });
    await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
    startUploads();
  });

  afterEach(async () => {
    http.closeAllConnections();
    await new Promise((resolve) => http.close(resolve));
    await rm(folder, { recursive: true, force: true });
  });

  /** As when the process starts again: nothing but the disk is kept. */
  function startUploads(): void {
    uploads = new UploadServer({
      directory: join(folder, 'uploads'),
      route: '/api/v1/models/:id/upload',
      publicUrl: `http://127.0.0.1:${(http.address() as AddressInfo).port}`,
      admit: (id, request) => admitting(id, request),
      onComplete: (upload) => onComplete(upload),
    });
    address = uploads.address('model-1');
  }

  function send(content: Buffer, options: Partial<UploadOptions> = {}): Promise<Upload> {
    return new Promise((resolve, reject) => {
      const upload = new Upload(content, {
        endpoint: address,
        headers: { authorization: 'Bearer mine' },
        retryDelays: null,
        ...options,
        onError: reject,
        onSuccess: () => resolve(upload),
      });
      upload.start();
    });
  }

  /** Sends until half of `content` has arrived, then goes away. @returns the address of the upload. */
  async function sendHalf(content: Buffer): Promise<string> {
    const url = await create(content.length);
    const half = content.subarray(0, content.length / 2);
    const cut = fetch(url, {
      method: 'PATCH',
      headers: {
        'tus-resumable': '1.0.0',
        authorization: 'Bearer mine',
        'upload-offset': '0',
        'content-type': 'application/offset+octet-stream',
      },
      body: new Blob([half]),
    });
    expect((await cut).status).toBe(204);
    return url;
  }

  async function create(size: number): Promise<string> {
    const response = await fetch(address, {
      method: 'POST',
      headers: { 'tus-resumable': '1.0.0', authorization: 'Bearer mine', 'upload-length': String(size) },
    });
    expect(response.status).toBe(201);
    return response.headers.get('location')!;
  }

  const left = (): Promise<string[]> => readdir(join(folder, 'uploads'));

  it('takes a whole file and tells of it once', async () => {
    await send(bytes, { metadata: { filename: 'model.tar', digest: sha256(bytes) } });

    expect(completed).toMatchObject([{ id: 'model-1', size: bytes.length, digest: sha256(bytes) }]);
    expect(bytes.equals(await buffer(blobs.open(sha256(bytes))))).toBe(true);
    expect((await left()).filter((name) => !name.endsWith('.done'))).toEqual([]);
  });

  it('refuses to go on with what is complete', async () => {
    const url = await create(0);
    const headers = { 'tus-resumable': '1.0.0', authorization: 'Bearer mine', 'upload-offset': '0' };
    const type = { 'content-type': 'application/offset+octet-stream' };
    const answer = await fetch(url, { method: 'PATCH', headers: { ...headers, ...type }, body: '' });
    const problem = { type: 'about:blank', title: 'Conflict', status: 409, code: 'upload_complete' };
    expect([answer.status, await answer.json()]).toMatchObject([409, problem]);
    expect(answer.headers.get('content-type')).toBe('application/problem+json');
  });

  it('takes a file in many requests', async () => {
    await send(bytes, { chunkSize: 500_000 });

    expect(completed).toMatchObject([{ digest: sha256(bytes) }]);
    expect(requests.filter((request) => request.startsWith('PATCH'))).toHaveLength(7);
  });

  it('takes the address itself for an upload whose length comes with its end', async () => {
    await send(bytes, { endpoint: null, uploadUrl: address, uploadLengthDeferred: true, chunkSize: 1_000_000 });

    expect(completed).toMatchObject([{ digest: sha256(bytes) }]);
    expect(requests.every((request) => request.endsWith('/api/v1/models/model-1/upload'))).toBe(true);
  });

  it('continues where a cut upload ended, by its own address and by that of the model', async () => {
    const url = await sendHalf(bytes);
    const sent: number[] = [];

    await send(bytes, { endpoint: null, uploadUrl: url, onProgress: (count) => sent.push(count) });
    expect(sent[0]).toBeGreaterThanOrEqual(Math.floor(bytes.length / 2));
    expect(completed).toMatchObject([{ digest: sha256(bytes) }]);

    const other = randomBytes(1_000_000);
    address = uploads.address('model-2');
    await sendHalf(other);
    await send(other, { endpoint: null, uploadUrl: address });
    expect(completed).toMatchObject([{}, { id: 'model-2', digest: sha256(other) }]);
  });

  it('continues after the connection broke in the middle of a request', async () => {
    let cuts = 0;
    onRequest = (request) => {
      if (request.method !== 'PATCH' || cuts > 0) return;
      cuts++;
      let received = 0;
      request.on('data', (chunk: Buffer) => {
        received += chunk.length;
        if (received > 1_000_000) request.socket.destroy();
      });
    };

    await send(bytes, { retryDelays: [50, 100, 200] });

    expect(cuts).toBe(1);
    expect(completed).toMatchObject([{ digest: sha256(bytes) }]);
  });

  it('continues after a restart', async () => {
    const url = await sendHalf(bytes);
    startUploads();

    await send(bytes, { endpoint: null, uploadUrl: url });

    expect(completed).toMatchObject([{ digest: sha256(bytes) }]);
  });

  it('tells of a whole file after a restart that came before it could', async () => {
    const taking = onComplete;
    onComplete = () => Promise.reject(new Error('the process was killed here'));
    await expect(send(bytes, { metadata: { digest: sha256(bytes) } })).rejects.toBeInstanceOf(DetailedError);
    onComplete = taking;
    startUploads();

    expect(await uploads.recover()).toBe(1);
    expect(await uploads.recover()).toBe(0);

    expect(completed).toMatchObject([{ digest: sha256(bytes), declaredDigest: sha256(bytes) }]);
  });

  it('tells the sender of a success whose answer was lost', async () => {
    const { url } = await send(bytes);

    await send(bytes, { endpoint: null, uploadUrl: url });

    expect(completed).toHaveLength(1);
    expect(requests.filter((request) => request.startsWith('PATCH'))).toHaveLength(1);
  });

  it('keeps the bytes while nobody can take them over, and completes when asked again', async () => {
    const taking = onComplete;
    onComplete = () => Promise.reject(new DomainError('unavailable', 'storage_full', 'There is no room left.'));
    const failed = send(bytes).catch((error: unknown) => error as DetailedError);
    expect(((await failed) as DetailedError).originalResponse?.getStatus()).toBe(507);
    onComplete = taking;

    await send(bytes, { endpoint: null, uploadUrl: address });

    expect(completed).toMatchObject([{ digest: sha256(bytes) }]);
  });

  it('learns of bytes that were taken over already, if that was not known', async () => {
    let times = 0;
    onComplete = async (upload) => {
      const { digest } = await blobs.adopt(upload.path, { source: 'kept' });
      if (times++ === 0) throw new Error('the connection broke');
      completed.push({ ...upload, digest });
    };
    await expect(send(bytes)).rejects.toBeInstanceOf(DetailedError);

    await send(bytes, { endpoint: null, uploadUrl: address });

    expect(completed).toMatchObject([{ digest: sha256(bytes) }]);
    expect((await left()).filter((name) => !name.endsWith('.done'))).toEqual([]);
  });

  it('answers where something of ours failed, and tells nothing of it', async () => {
    onComplete = () => Promise.reject(new Error('the password is 1234'));
    const failed = (await send(bytes).catch((error: unknown) => error)) as DetailedError;
    expect(failed.originalResponse?.getStatus()).toBe(500);
    expect(JSON.parse(failed.originalResponse!.getBody())).toMatchObject({ code: 'internal' });

    admitting = () => Promise.reject(new Error('the database is away'));
    expect((await fetch(address, { method: 'POST', headers: { 'tus-resumable': '1.0.0' } })).status).toBe(500);
  });

  it('refuses what there is no room for before a byte is sent', async () => {
    admitting = () => Promise.resolve({ maxBytes: Number.MAX_SAFE_INTEGER });
    const response = await fetch(address, {
      method: 'POST',
      headers: { 'tus-resumable': '1.0.0', 'upload-length': String(2 ** 52) },
    });

    expect(response.status).toBe(507);
    expect(response.headers.get('retry-after')).toBe('5');
    expect(await left()).toEqual([]);
  });

  it('refuses what is too large before a byte is sent', async () => {
    address = uploads.address('small');

    const error = (await send(bytes).catch((reason: unknown) => reason)) as DetailedError;

    expect(error.originalResponse?.getStatus()).toBe(413);
    expect(await left()).toEqual([]);
  });

  it('refuses what turns out to be too large', async () => {
    address = uploads.address('small');

    const error = (await send(bytes, {
      endpoint: null,
      uploadUrl: address,
      uploadLengthDeferred: true,
      chunkSize: 60,
    }).catch((reason: unknown) => reason)) as DetailedError;

    expect(error.originalResponse?.getStatus()).toBe(413);
    expect(completed).toEqual([]);
  });

  it('refuses what was altered on its way, and forgets it', async () => {
    const error = (await send(bytes, { metadata: { digest: sha256(Buffer.from('other')) } }).catch(
      (reason: unknown) => reason,
    )) as DetailedError;

    expect(error.originalResponse?.getStatus()).toBe(422);
    expect(JSON.parse(error.originalResponse!.getBody())).toMatchObject({ code: 'upload_altered' });
    expect(await left()).toEqual([]);
  });

  it('refuses an announced digest that is none', async () => {
    const error = (await send(bytes, { metadata: { digest: 'md5' } }).catch(
      (reason: unknown) => reason,
    )) as DetailedError;

    expect(error.originalResponse?.getStatus()).toBe(422);
    expect(await left()).toEqual([]);
  });

  it('refuses who may not send, at every step', async () => {
    const url = await sendHalf(bytes);
    for (const [method, target] of [
      ['POST', address],
      ['HEAD', url],
      ['PATCH', url],
      ['DELETE', url],
    ] as const) {
      const response = await fetch(target, { method, headers: { 'tus-resumable': '1.0.0', 'upload-length': '1' } });
      expect([method, response.status]).toEqual([method, 404]);
    }
  });

  it("never gives out bytes, and takes an upload for its own model's only", async () => {
    const url = await sendHalf(bytes);
    const headers = { 'tus-resumable': '1.0.0', authorization: 'Bearer mine' };

    expect((await fetch(url, { headers })).status).toBe(404);
    expect((await fetch(url.replace('model-1', 'model-2'), { method: 'HEAD', headers })).status).toBe(404);
  });

  it('keeps its folder from every other account, also one that was left open to them', async () => {
    const uploadsFolder = join(folder, 'uploads');
    const mode = async () => ((await stat(uploadsFolder)).mode & 0o777).toString(8);
    expect(await mode()).toBe('700');
    await chmod(uploadsFolder, 0o755);

    startUploads();

    expect(await mode()).toBe('700');
  });

  it('has one upload for a model: a new one replaces what was not completed', async () => {
    const first = await sendHalf(bytes);

    await send(bytes);

    const headers = { 'tus-resumable': '1.0.0', authorization: 'Bearer mine' };
    expect((await fetch(first, { method: 'HEAD', headers })).status).toBe(404);
    expect(completed).toHaveLength(1);
  });

  it('sweeps away what was abandoned', async () => {
    await sendHalf(bytes);

    expect(await uploads.sweep(new Date())).toBe(0);
    expect(await uploads.sweep(new Date(Date.now() + 49 * 3600 * 1000))).toBe(1);

    expect(await left()).toEqual([]);
  });
});
