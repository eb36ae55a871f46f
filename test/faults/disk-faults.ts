import { randomBytes } from 'node:crypto';
import { expect, it } from '@jest/globals';
import { inFullForm } from '../factories/test-form.js';
import { type FaultyService } from './faulty-service.js';
import { parity, parityExamples, parityPredictions } from './parity-task.js';
import { ResumableUpload, sha256 } from './resumable-upload.js';
import type { SmallDisk } from './small-disk.js';
import { announced, digestOf } from './upload-faults.js';

const KIBIBYTE = 1024;
const MEBIBYTE = 1024 * KIBIBYTE;
const FULL = { status: 507, body: { code: 'storage_full' } };

interface Subject {
  readonly service: FaultyService;
  /** The disk that holds all data of the service. */
  readonly disk: SmallDisk;
}

/** Registers the cases in which the disk is full. */
export function diskFaults(subject: () => Subject): void {
  it('refuses what it has no room for, keeps nothing of it, and takes it once there is room', async () => {
    const { service, disk } = subject();
    const { world } = service;
    const id = await announced(service);
    const token = await world.user('ada');
    disk.shrinkTo(MEBIBYTE);
    const before = disk.used;

    const refused = await world.call('PUT', `/models/${id}/artifact`, { token, body: randomBytes(4 * MEBIBYTE) });
    expect(refused).toMatchObject(FULL);
    expect(refused.headers.get('retry-after')).toBe('5');
    const upload = await ResumableUpload.of(world, id);
    const opened = await upload.create(4 * MEBIBYTE);
    expect(opened).toMatchObject({ status: 507 });
    expect(opened.headers.get('retry-after')).toBe('5');
    const examples = { token: world.admin, type: 'application/x-ndjson', body: parityExamples('third', 30_000) };
    const dataset = await world.call('PUT', `/tasks/${parity.slug}/datasets/third?visibility=public`, examples);
    expect(dataset).toMatchObject(FULL);

    // existing data is still readable, and no part of the refused data is visible
    expect(await world.model(id)).toMatchObject({ state: 'awaiting-artifact' });
    expect(await service.witness.rows('select id from dataset where name = $1', ['third'])).toEqual([]);
    expect(await world.residue()).toEqual([]);
    expect(disk.used).toBeLessThan(before + 64 * KIBIBYTE);

    disk.grow();
    await world.expect(202, 'PUT', `/models/${id}/artifact`, { token, body: parityPredictions(900) });
    await service.untilScored([id]);
    await service.expectInvariants();
  });

  inFullForm('continues with an upload that ran out of room in the middle', async () => {
    const { service, disk } = subject();
    const bytes = parityPredictions(901, 2 * MEBIBYTE);
    const id = await announced(service);
    const upload = await ResumableUpload.of(service.world, id);
    expect(await upload.create(bytes.length)).toMatchObject({ status: 201 });
    disk.shrinkTo(MEBIBYTE);

    expect(await upload.send(bytes)).toMatchObject({ status: 507 });
    expect(await service.world.model(id)).toMatchObject({ state: 'awaiting-artifact' });

    disk.grow();
    const offset = await upload.offset();
    expect(offset).toBeGreaterThan(0);
    expect(await upload.send(bytes, offset)).toMatchObject({ status: 204 });
    expect(await digestOf(service, id)).toBe(sha256(bytes));
    await service.untilScored([id]);
    await service.expectInvariants();
  });

  // needs the periodic health checks of the worker
  inFullForm('takes no run while there is no room for its results', async () => {
    const { service, disk } = subject();
    await service.world.stopWorker();
    const id = await service.submitPredictions();
    disk.shrinkTo(MEBIBYTE);
    service.world.startWorker();
    await service.untilDiskIsFull();
    expect(await service.runs(id)).toMatchObject([{ state: 'queued', attempts: 0 }]);

    disk.grow();
    await service.untilScored([id]);
    expect(await service.runs(id)).toMatchObject([{ state: 'done', attempts: 0 }]);
    await service.expectInvariants();
  });
}
