import { execFile } from 'node:child_process';
import {
  chmodSync,
  createReadStream,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join, resolve } from 'node:path';
import { buildImage, DockerEngine } from '@assay/sandbox/docker';

const project = resolve(import.meta.dirname, '../..');

/** The pages whose commands run in a test, in the order in which a reader follows them. */
export const FOLLOWED_PAGES = [
  'README.md',
  'docs/tutorials/first-submission.md',
  'docs/tutorials/first-benchmark.md',
  'docs/tutorials/first-round.md',
] as const;
type Page = (typeof FOLLOWED_PAGES)[number];

/** Commands of these pages that are not run, with the reason. */
export const NOT_RUN: Readonly<Record<string, string>> = {
  'scripts/up': 'It stays in the foreground: the spec starts it with --detach.',
  'scripts/test': 'It runs the spec that runs these commands.',
};

export interface Followed {
  readonly page: Page;
  readonly code: number;
  /** The output of the commands, each command after a line with `+`. */
  readonly output: string;
}

/**
 * Returns the lines of the fenced `sh` blocks of a page.
 * @param page its path in the project
 */
export function commandsOf(page: string): readonly string[] {
  const markdown = readFileSync(join(project, page), 'utf8');
  return [...markdown.matchAll(/^```sh\n([^]*?)^```$/gm)].flatMap(([, block]) => block!.trimEnd().split('\n'));
}

/** The command of a line, without its comment. */
export const commandOf = (line: string): string => line.replace(/\s+#.*$/, '').trim();

/**
 * Makes `folder` look like a checkout in which `scripts/up` runs: links to everything in the
 * project, and `.assay` as a link to `home`.
 */
export function linkCheckout(folder: string, home: string): void {
  const own = new Set(['.git', '.assay']);
  for (const name of readdirSync(project)) {
    if (!own.has(name)) symlinkSync(join(project, name), join(folder, name));
  }
  symlinkSync(home, join(folder, '.assay'));
}

/**
 * Runs the commands of a page in one shell, and stops at the first that fails.
 *
 * `npx` takes seconds to find the CLI of a checkout, so only the README's commands use it. In the
 * tutorials, `npx` is replaced by a script that starts the same command directly.
 *
 * @param folder A checkout: see `linkCheckout`.
 * @param address The address of the service, which replaces `localhost:8080`.
 */
export function follow(page: Page, folder: string, address: string): Promise<Followed> {
  const lines = commandsOf(page).filter((line) => NOT_RUN[commandOf(line)] === undefined);
  const script = lines.join('\n').replaceAll('localhost:8080', address);
  const quick = page === 'README.md' ? [] : [quickNpx(folder)];
  const env = {
    ...process.env,
    DOCKER_HOST: undefined,
    ASSAY_HOME: join(folder, '.assay'),
    XDG_CONFIG_HOME: join(folder, '.config'),
    PATH: [...quick, process.env['PATH']].join(':'),
  };
  return new Promise((settle) => {
    execFile('bash', ['-euxo', 'pipefail', '-c', script], { cwd: folder, env }, (error, stdout, stderr) =>
      settle({ page, code: error ? Number(error.code ?? 1) : 0, output: stdout + stderr }),
    );
  });
}

/**
 * Creates a fast replacement of `npx`.
 * @returns The folder to put into PATH.
 */
function quickNpx(folder: string): string {
  const bin = join(folder, '.bin');
  mkdirSync(bin, { recursive: true });
  const script = join(bin, 'npx');
  writeFileSync(script, '#!/bin/sh\ncommand="$1"\nshift\nexec "scripts/$command" "$@"\n');
  chmodSync(script, 0o755);
  return bin;
}

const NODE_IMAGE = 'node:24-slim';

/**
 * Loads the image that the examples' Dockerfiles start from into an engine, built from this
 * machine's Node, unless the engine has it: tests do not access a registry. `remove` deletes it
 * again, together with the image that the tutorials build.
 */
export async function provideNodeImage(
  engineHost: string,
  folder: string,
): Promise<{ readonly remove: () => Promise<void> }> {
  const engine = new DockerEngine(engineHost);
  const images = ['my-model'];
  if (!(await engine.image(NODE_IMAGE))) {
    const path = join(folder, 'node.tar');
    await buildImage({ name: 'node', layers: [], entrypoint: ['node'] }, { path, tag: NODE_IMAGE });
    await engine.load(createReadStream(path), statSync(path).size);
    images.push(NODE_IMAGE);
  }
  return {
    remove: async () => {
      for (const image of images) await engine.removeImage(image);
    },
  };
}
