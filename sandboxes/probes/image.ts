import { join } from 'node:path';
import type { ImageSource } from '../../libs/sandbox/src/docker/image-recipe.js';

/** Perl is essential on Debian, and can make system calls and fork as C does, which Node cannot. */
const perl = '/usr/bin/perl';

/**
 * The file for the page cache probes. The pages that they touch are further apart than the kernel
 * reads ahead.
 */
export const TOUCHED = { path: '/app/pages', pages: 32, stride: 512 * 1024 } as const;

/**
 * Returns the submission with all probes in one image; the command selects the probe.
 * @param project the folder that contains `sandboxes/`
 */
export function probeImage(project: string) {
  const folder = join(project, 'sandboxes', 'probes');
  const names = ['bombs', 'lies', 'predictions', 'replies', 'sending', 'surroundings', 'taint'].map(
    (name) => `${name}.mjs`,
  );
  const pages = { content: Buffer.alloc(TOUCHED.pages * TOUCHED.stride) };
  const files: Record<string, ImageSource> = { [perl]: perl, [TOUCHED.path]: pages };
  for (const name of [...names, 'fork-bomb.pl', 'calls.pl', 'page-cache.pl'])
    files[`/app/${name}`] = join(folder, name);
  return {
    server: join(folder, 'server.mjs'),
    files,
    linked: [perl],
    command: ['honest'],
  };
}
