import { join } from 'node:path';
import { project } from '../command.js';

export type App = 'api' | 'evaluator';

/**
 * What V8 is told. The first are MiB of a half of its young space. Left alone it takes 64 on a large machine and touches them little by little,
 * which looks like a leak for half an hour and is 85 MiB that the API does not need. With as much as that, what an evaluator streams piles up: an
 * image of 150 MB costs it 54 MiB then, and 11 with these 2. The other: V8 soon takes the rows of a board for something that lasts, and makes them
 * in the old space, 20 kB for each request, which then has to be collected while others wait.
 */
const V8_FLAGS: Readonly<Record<App, readonly string[]>> = {
  api: ['--max-semi-space-size=16', '--no-allocation-site-pretenuring'],
  evaluator: ['--max-semi-space-size=2'],
};

/**
 * What malloc of the C library is told (mallopt(3)): a buffer of 128 KiB or more goes back to the system as soon as it is freed. Left alone, that
 * bound grows to the largest buffer that ever was freed, up to 32 MiB; those below it lie in one heap, and the last small thing made there holds
 * all that was freed under it. An evaluator that streams images had 16 to 95 MiB in that heap, and has 13 to 17.
 */
const MALLOC: Readonly<Record<App, Readonly<Record<string, string>>>> = {
  api: {},
  evaluator: { MALLOC_MMAP_THRESHOLD_: String(2 ** 17) },
};

/** Where a built program of an app lies. */
export const programOf = (app: App, file = 'main'): string =>
  join(project, 'dist/apps', app, 'apps', app, 'src', `${file}.js`);

/** What Node is given to run an app. */
export const appArguments = (app: App): readonly string[] => ['--enable-source-maps', ...V8_FLAGS[app], programOf(app)];

/** What an app is started with, beside what it is told of the service. */
export const appEnvironment = (app: App): Readonly<Record<string, string>> => MALLOC[app];
