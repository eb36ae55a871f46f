import { offsetOf, TusUpload } from '../../../factories/models/tus-upload.js';
import { found } from './operations.js';

/**
 * Milliseconds during which the service may still process data from a connection that has broken.
 */
const TAKEN = 30_000;

/**
 * Uploads the bytes by tus: a third, a part during which the connection breaks, and the rest from
 * the offset that the service reports.
 */
export async function uploadInPieces(address: string, token: string, bytes: Buffer): Promise<void> {
  const upload = new TusUpload(address, token);
  const created = await upload.create(bytes.length);
  if (created.status !== 201) throw new Error(`an upload in pieces was refused: ${created.status}`);
  const third = Math.floor(bytes.length / 3);
  const first = await upload.send(bytes.subarray(0, third));
  if (first.status !== 204) throw new Error(`the first piece: ${first.status}`);
  await upload.sendPart(bytes, { from: third, end: 2 * third });
  await sendRest(upload, bytes);
}

/**
 * Sends the rest from the offset that the service reports. Retries, as clients do, while the
 * service still processes data from the broken connection (409, 423).
 */
async function sendRest(upload: TusUpload, bytes: Buffer): Promise<void> {
  await found('the rest of an upload whose connection broke', TAKEN, async () => {
    const asked = await upload.progress();
    if (asked.status === 423) return undefined;
    const offset = offsetOf(asked);
    if (asked.status !== 200 || !(offset > 0 && offset < bytes.length)) {
      throw new Error(`how far an upload is: ${asked.status}, ${offset} of ${bytes.length}`);
    }
    const { status } = await upload.send(bytes, offset);
    if (status === 409 || status === 423) return undefined;
    if (status !== 204) throw new Error(`the piece from ${offset}: ${status}`);
    return status;
  });
}
