import { join } from 'node:path';
import type { SubmissionImage } from '../../libs/sandbox/docker/submission-image.js';

/** What is essential on Debian, and can call and fork as C does: Node can't. */
const perl = '/usr/bin/perl';

/** All probes in one image; the command says which one it is. `project` is the folder that holds `sandboxes/`. */
export function probeImage(project: string): SubmissionImage {
  const folder = join(project, 'sandboxes', 'probes');
  const names = ['bombs', 'lies', 'predictions', 'replies', 'sending', 'surroundings', 'taint'].map(
    (name) => `${name}.mjs`,
  );
  const files: Record<string, string> = { [perl]: perl };
  for (const name of [...names, 'fork-bomb.pl', 'calls.pl', 'page-cache.pl'])
    files[`/app/${name}`] = join(folder, name);
  return {
    server: join(folder, 'server.mjs'),
    files,
    linked: [perl],
    command: ['honest'],
  };
}
