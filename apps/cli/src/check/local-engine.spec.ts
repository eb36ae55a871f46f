import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { DockerEngine } from '@assay/sandbox/docker';
import { localEngine } from './local-engine.js';

describe('localEngine', () => {
  const before = { ...process.env };
  const engines: Server[] = [];
  let folder: string;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'assay-engine-'));
    process.env = { ASSAY_HOME: folder };
  });

  afterEach(() => {
    process.env = { ...before };
    for (const engine of engines.splice(0)) engine.close();
    rmSync(folder, { recursive: true });
  });

  const addressOf = (name: string): string => `unix://${join(folder, name)}`;
  const installed = (address: string): void => writeFileSync(join(folder, 'docker-host'), `${address}\n`);

  /** An engine that answers with its name. */
  async function startEngine(name: string): Promise<void> {
    const engine = createServer((_request, response) => {
      response.setHeader('content-type', 'application/json');
      response.setHeader('connection', 'close');
      response.end(JSON.stringify({ Name: name }));
    });
    engines.push(engine);
    await new Promise<void>((resolve) => engine.listen(join(folder, name), resolve));
  }

  const chosen = async (): Promise<unknown> => {
    const engine = await localEngine(new DockerEngine(process.env['DOCKER_HOST'] ?? addressOf('usual')));
    return ((await engine.info()) as { readonly Name?: unknown }).Name;
  };

  it('is the one of the installation where none answers on the usual socket', async () => {
    await startEngine('private');
    installed(addressOf('private'));
    expect(await chosen()).toBe('private');
  });

  it('is the one on the usual socket where one answers', async () => {
    await startEngine('usual');
    await startEngine('private');
    installed(addressOf('private'));
    expect(await chosen()).toBe('usual');
  });

  it('is the one in DOCKER_HOST, whatever else there is', async () => {
    await startEngine('named');
    await startEngine('private');
    installed(addressOf('private'));
    process.env['DOCKER_HOST'] = addressOf('named');
    expect(await chosen()).toBe('named');
  });

  it('names what is missing where there is none', async () => {
    await expect(chosen()).rejects.toThrow(addressOf('usual').slice('unix://'.length));
  });

  it('follows no address to another machine', async () => {
    installed('tcp://127.0.0.1:9');
    await expect(chosen()).rejects.toThrow(addressOf('usual').slice('unix://'.length));
  });
});
