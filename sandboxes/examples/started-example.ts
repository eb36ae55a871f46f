import { expect } from '@jest/globals';
import { spawn, type ChildProcess } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { type ContainerExample, ENTRYPOINT } from './examples.js';

const here = import.meta.dirname;

export interface StartedExample {
  readonly process: ChildProcess;
  readonly url: string;
}

export function copyExample(path: string, folder: string, target = path): void {
  mkdirSync(dirname(join(folder, target)), { recursive: true });
  copyFileSync(join(here, path), join(folder, target));
}

/** Runs the command of the image in a folder that contains the files of the image only. */
export async function startExample(example: ContainerExample, folder: string): Promise<StartedExample> {
  for (const [target, source] of Object.entries(example.files)) copyExample(source, folder, target);
  const child = spawn(process.execPath, [join(folder, ENTRYPOINT[1])], {
    env: { ...process.env, AIP_HTTP_PORT: '0' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const port = await new Promise<string>((resolve, reject) => {
    child.stdout.on('data', (chunk: Buffer) => resolve(/listening on (\d+)/.exec(chunk.toString())?.[1] ?? ''));
    child.once('exit', (code) => reject(new Error(`${example.name} exited with ${String(code)}`)));
  });
  return { process: child, url: `http://127.0.0.1:${port}` };
}

/** Expects that the folder has a README and a Dockerfile that builds the same image. */
export function expectFolder({ name, files }: ContainerExample): void {
  const dockerfile = readFileSync(join(here, name, 'Dockerfile'), 'utf8');
  for (const [target, source] of Object.entries(files)) {
    expect(dockerfile).toContain(source);
    expect([...dockerfile.matchAll(/\S+/g)].some(([word]) => basename(word) === basename(target))).toBe(true);
  }
  expect(dockerfile).toContain(`ENTRYPOINT ${JSON.stringify(ENTRYPOINT).replaceAll(',', ', ')}`);
  expect(existsSync(join(here, name, 'README.md'))).toBe(true);
}
