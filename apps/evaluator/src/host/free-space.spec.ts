import { tmpdir } from 'node:os';
import { SandboxUnavailable } from '@assay/sandbox';
import { describe, expect, it } from '@jest/globals';
import { expectFreeSpace } from './free-space.js';

describe('expectFreeSpace', () => {
  it('accepts disks with enough room, and folders that are on another host', async () => {
    await expect(expectFreeSpace([tmpdir(), '/no/such/folder'], 1)).resolves.toBeUndefined();
  });

  it('refuses a disk with too little room, and names its folder', async () => {
    const refused = expectFreeSpace([tmpdir()], 2 ** 60);
    await expect(refused).rejects.toThrow(SandboxUnavailable);
    await expect(refused).rejects.toThrow(`The disk of ${tmpdir()} has `);
  });
});
