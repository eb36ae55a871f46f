import { request } from 'node:http';
import { found } from './operations.js';

/** Milliseconds for which the service may still take what was sent on a connection that is gone. */
const TAKEN = 30_000;

type Headers = Readonly<Record<string, string>>;

/** Sends the bytes by tus: a third, a part during which the connection breaks, and the rest from where the service says. */
export async function uploadInPieces(address: string, token: string, bytes: Buffer): Promise<void> {
  const headers = { authorization: `Bearer ${token}`, 'tus-resumable': '1.0.0' };
  const created = await fetch(address, {
    method: 'POST',
    headers: { ...headers, 'upload-length': String(bytes.length) },
  });
  if (created.status !== 201) throw new Error(`an upload in pieces was refused: ${created.status}`);
  const upload = new URL(created.headers.get('location')!, address).href;
  const third = Math.floor(bytes.length / 3);
  const first = await sendPiece(upload, headers, bytes.subarray(0, third), 0);
  if (first !== 204) throw new Error(`the first piece: ${first}`);
  await sendBroken(upload, headers, bytes, third);
  await sendRest(upload, headers, bytes);
}

async function sendPiece(upload: string, headers: Headers, piece: Buffer, offset: number): Promise<number> {
  const type = { 'content-type': 'application/offset+octet-stream', 'upload-offset': String(offset) };
  return (await fetch(upload, { method: 'PATCH', headers: { ...headers, ...type }, body: piece })).status;
}

/** From where the service says; asked again, as clients do, while it still takes what came before the connection broke (409, 423). */
async function sendRest(upload: string, headers: Headers, bytes: Buffer): Promise<void> {
  await found('the rest of an upload whose connection broke', TAKEN, async () => {
    const asked = await fetch(upload, { method: 'HEAD', headers });
    if (asked.status === 423) return undefined;
    const offset = Number(asked.headers.get('upload-offset'));
    if (asked.status !== 200 || !(offset > 0 && offset < bytes.length)) {
      throw new Error(`how far an upload is: ${asked.status}, ${offset} of ${bytes.length}`);
    }
    const status = await sendPiece(upload, headers, bytes.subarray(offset), offset);
    if (status === 409 || status === 423) return undefined;
    if (status !== 204) throw new Error(`the piece from ${offset}: ${status}`);
    return status;
  });
}

/** Announces all that is left from `offset`, and breaks the connection after half of it. */
async function sendBroken(upload: string, headers: Headers, bytes: Buffer, offset: number): Promise<void> {
  const left = bytes.length - offset;
  const broken = request(upload, {
    method: 'PATCH',
    headers: {
      ...headers,
      'content-type': 'application/offset+octet-stream',
      'upload-offset': String(offset),
      'content-length': left,
    },
  });
  broken.on('error', () => undefined);
  const closed = new Promise((resolve) => broken.on('close', resolve));
  broken.write(bytes.subarray(offset, offset + Math.floor(left / 2)), () => broken.destroy());
  await closed;
}
