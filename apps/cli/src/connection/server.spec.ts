import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { chooseServer, serverUrl } from './server.js';

describe('chooseServer', () => {
  const before = { ...process.env };
  let folder: string;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'assay-server-'));
    process.env = { XDG_CONFIG_HOME: folder, ASSAY_HOME: join(folder, 'home') };
    mkdirSync(join(folder, 'home'));
    writeFileSync(join(folder, 'home/admin-token'), 'of-the-administrator\n');
  });

  afterEach(() => {
    process.env = { ...before };
    rmSync(folder, { recursive: true });
  });

  const keep = (settings: object): void => {
    mkdirSync(join(folder, 'assay'));
    writeFileSync(join(folder, 'assay/config.json'), JSON.stringify(settings));
  };

  it('is the installation of this folder where nothing is said', async () => {
    expect(await chooseServer({})).toEqual({ url: 'http://localhost:8080', token: 'of-the-administrator' });
    writeFileSync(join(folder, 'home/up.json'), '{"address": "http://localhost:9090"}');
    expect(await chooseServer({})).toMatchObject({ url: 'http://localhost:9090' });
  });

  it('is the one that was logged in to, then that of the environment, then that of the command', async () => {
    keep({ url: 'https://a.example', tokens: { 'https://a.example': 'a', 'https://b.example': 'b' } });
    expect(await chooseServer({})).toEqual({ url: 'https://a.example', token: 'a' });
    process.env['ASSAY_URL'] = 'https://b.example/api/v1/';
    expect(await chooseServer({})).toEqual({ url: 'https://b.example', token: 'b' });
    const token = join(folder, 'token');
    writeFileSync(token, 'mine\n');
    expect(await chooseServer({ url: 'https://a.example', token })).toEqual({
      url: 'https://a.example',
      token: 'mine',
    });
  });

  it('takes a token from a file, and none that stands in the command itself', async () => {
    await expect(chooseServer({ token: 'assay_abc' })).rejects.toThrow('Everybody on this machine can see');
    writeFileSync(join(folder, 'empty'), '\n');
    await expect(chooseServer({ token: join(folder, 'empty') })).rejects.toThrow('No token found');
    await expect(chooseServer({ token: join(folder, 'nothing') })).rejects.toThrow('ENOENT');
  });

  it('sends a token to no other server than its own', async () => {
    keep({ url: 'https://a.example', tokens: { 'https://a.example': 'a' } });
    expect(await chooseServer({ url: 'https://c.example' })).toEqual({ url: 'https://c.example' });
  });

  it('refuses what is no address', () => {
    expect(serverUrl('assay.example:8080/')).toBe('http://assay.example:8080');
    expect(() => serverUrl('ftp://x')).toThrow('not a valid server address');
  });
});
