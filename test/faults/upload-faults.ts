import { existsSync, statSync, utimesSync } from 'node:fs';
import { expect, it } from '@jest/globals';
import { inFullForm } from '../factories/test-form.js';
import type { FaultyService } from './faulty-service.js';
import { parity, parityPredictions } from './parity-task.js';
import { ResumableUpload, sha256 } from './resumable-upload.js';

const MEBIBYTE = 2 ** 20;

/**
 * Registers the cases in which an upload does not end normally. CI covers the others in
 * libs/storage/src/upload-server.spec.ts.
 */
export function uploadFaults(subject: () => FaultyService): void {
  inFullForm('continues with an upload that was cut at half', async () => {
    const service = subject();
    const bytes = parityPredictions(910, MEBIBYTE);
    const { id, upload } = await halfSent(service, bytes, () => Promise.resolve());

    const offset = await upload.offset();
    expect(offset).toBe(bytes.length / 2);
    expect(await upload.send(bytes, offset)).toMatchObject({ status: 204 });
    expect(await digestOf(service, id)).toBe(sha256(bytes));
    await service.untilScored([id]);
    await service.expectInvariants();
  });

  it('continues with an upload in which the API was killed', async () => {
    const service = subject();
    const bytes = parityPredictions(911, MEBIBYTE);
    const { id, upload } = await halfSent(service, bytes, () => service.world.restartApi());

    expect(await upload.send(bytes, await upload.offset())).toMatchObject({ status: 204 });
    expect(await digestOf(service, id)).toBe(sha256(bytes));
    await service.untilScored([id]);
    await service.expectInvariants();
  });

  inFullForm('refuses an upload that was altered on its way, and says so', async () => {
    const service = subject();
    const bytes = parityPredictions(912, MEBIBYTE);
    const { id, upload } = await halfSent(service, bytes, () => Promise.resolve());
    const altered = Buffer.from(bytes);
    // replaces a space by a tab
    altered[altered.length - 9] = 0x09;

    const refused = await upload.send(altered, await upload.offset());
    expect(refused.status).toBe(422);
    expect(refused.body).toMatchObject({
      code: 'upload_altered',
      detail: expect.stringContaining(sha256(bytes)),
    });
    expect(await service.world.model(id)).toMatchObject({ state: 'awaiting-artifact' });
    await service.expectInvariants();
  });

  inFullForm('gives back what an abandoned upload took', async () => {
    const service = subject();
    const bytes = parityPredictions(913, 4 * MEBIBYTE);
    const { upload } = await halfSent(service, bytes, () => Promise.resolve());
    expect(statSync(upload.file).size).toBe(bytes.length / 2);
    const longAgo = new Date(Date.now() - 49 * 3_600_000);
    utimesSync(upload.file, longAgo, longAgo);

    // the API removes abandoned uploads when it starts, and then every hour
    await service.world.restartApi();
    expect(existsSync(upload.file)).toBe(false);
    await service.expectInvariants();
  });
}

/** Creates a model and an upload for it of which half has arrived. */
async function halfSent(
  service: FaultyService,
  bytes: Buffer,
  cut: () => Promise<void>,
): Promise<{ readonly id: string; readonly upload: ResumableUpload }> {
  const id = await announced(service);
  const upload = await ResumableUpload.of(service.world, id);
  expect(await upload.create(bytes.length, sha256(bytes))).toMatchObject({ status: 201 });
  await upload.cutAt(bytes.length / 2, bytes, cut);
  return { id, upload };
}

/**
 * Announces a model of the user `ada` that waits for a predictions file.
 * @returns The model's ID.
 */
export const announced = ({ world }: FaultyService): Promise<string> =>
  world.announce(parity.slug, { name: 'to be uploaded', kind: 'predictions' });

/** Returns the digest of the model's artifact, or undefined if it has none. */
export async function digestOf({ witness }: FaultyService, model: string): Promise<string | undefined> {
  const [artifact] = await witness.rows<{ digest: string }>(
    `select a.digest from artifact a join run_specification s on s.artifact_id = a.id
       join model m on m.specification_id = s.id where m.id = $1`,
    [model],
  );
  return artifact?.digest;
}
