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

/** Where a built program of an app lies. */
export const programOf = (app: App, file = 'main'): string =>
  join(project, 'dist/apps', app, 'apps', app, 'src', `${file}.js`);

/** What Node is given to run an app. */
export const appArguments = (app: App): readonly string[] => ['--enable-source-maps', ...V8_FLAGS[app], programOf(app)];
