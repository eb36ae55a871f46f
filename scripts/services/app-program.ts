import { join } from 'node:path';
import { project } from '../command.js';

export type App = 'api' | 'worker' | 'evaluator';

/**
 * Flags for V8. `--max-semi-space-size` is half the size of the young generation, in MiB. The
 * default on a large machine is 64. The API would fill it slowly, which looks like a leak for half
 * an hour and takes 85 MiB that it does not need. In an evaluator, streamed data would pile up in
 * it: an image of 150 MB takes 54 MiB with the default, and 11 MiB with a size of 2. Without
 * `--no-allocation-site-pretenuring`, V8 soon assumes that the rows of a board are long-lived and
 * allocates them in the old generation, 20 kB for each request; collecting them then delays other
 * requests. Without `--external-memory-accounted-in-global-limit`, V8 collects the whole heap for each
 * 32 MiB of streamed buffers: the download of an image of 130 MB took 1.4 s of CPU time instead of
 * 0.9 s. The API does without it, because its memory would grow by 75 MiB during an upload.
 */
const V8_FLAGS: Readonly<Record<App, readonly string[]>> = {
  api: ['--max-semi-space-size=16', '--no-allocation-site-pretenuring'],
  worker: ['--max-semi-space-size=16'],
  evaluator: ['--max-semi-space-size=2', '--external-memory-accounted-in-global-limit'],
};

/**
 * Settings of malloc in the C library (mallopt(3)). A buffer of 128 KiB or more is returned to the
 * system as soon as it is freed. By default that threshold grows to the size of the largest freed
 * buffer, up to 32 MiB. Smaller buffers share one heap, in which a small allocation at the end
 * keeps all freed memory below it. That heap had 16 to 95 MiB in an evaluator that streams images,
 * and has 13 to 17 MiB with this setting.
 */
const MALLOC: Readonly<Record<App, Readonly<Record<string, string>>>> = {
  api: {},
  worker: {},
  evaluator: { MALLOC_MMAP_THRESHOLD_: String(2 ** 17) },
};

/** Returns the path of a built program of an app. */
export const programOf = (app: App, file = 'main'): string =>
  join(project, 'dist/services/apps', app, 'src', `${file}.js`);

/** Returns the arguments for Node that run an app. */
export const appArguments = (app: App): readonly string[] => ['--enable-source-maps', ...V8_FLAGS[app], programOf(app)];

/** Returns the environment of an app, in addition to the settings of the service. */
export const appEnvironment = (app: App): Readonly<Record<string, string>> => MALLOC[app];
