import { mkdirSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { SandboxUnavailable } from '../sandbox.js';
import { SANDBOX_ID, SocketFolders } from './socket-folders.js';

const asRoot = process.getuid?.() === 0 ? it : it.skip;
const sandbox = 'a'.repeat(SANDBOX_ID);
const relay = 65533;

describe('SocketFolders', () => {
  let folder: string;
  let root: string;
  let folders: SocketFolders;
  beforeEach(() => {
    // short, because the paths of sockets are
    folder = mkdtempSync(join(tmpdir(), 's-'));
    root = join(folder, 'r');
    folders = new SocketFolders(root);
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  const modeOf = (path: string): string => (statSync(path).mode & 0o777).toString(8);

  it('are open to any relay, below a folder that lets nobody else in', async () => {
    await folders.make(sandbox);

    expect([root, folders.folder(sandbox)].map(modeOf)).toEqual(['700', '777']);
  });

  it('close a root that others could enter', async () => {
    mkdirSync(root, { mode: 0o777 });

    await folders.make(sandbox);

    expect(modeOf(root)).toBe('700');
  });

  asRoot('are left to the relay alone where it shares its container with the model', async () => {
    await folders.make(sandbox);
    await folders.giveTo(sandbox, relay);

    const { uid, gid } = statSync(folders.folder(sandbox));
    expect([uid, gid, modeOf(folders.folder(sandbox))]).toEqual([relay, relay, '700']);
  });

  it('are not left to a relay that shares its container where they cannot be given to it', async () => {
    await expect(folders.giveTo(sandbox, relay)).rejects.toThrow(SandboxUnavailable);
  });

  it('are gone with their sandbox, and those of others are not', async () => {
    const other = 'b'.repeat(SANDBOX_ID);
    await folders.make(sandbox);
    await folders.make(other);

    await folders.remove(sandbox);

    expect([await folders.of('a'), await folders.of('b')]).toEqual([[], [other]]);
  });

  it('have paths that fit into the address of a socket', () => {
    expect(() => new SocketFolders(`/${'x'.repeat(83)}`)).not.toThrow();
    expect(() => new SocketFolders(`/${'x'.repeat(84)}`)).toThrow(RangeError);
  });
});
