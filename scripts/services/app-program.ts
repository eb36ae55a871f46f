import { join } from 'node:path';
import { project } from '../command.js';

export type App = 'api' | 'evaluator';

/** V8's own 16 MiB would let what an evaluator streams pile up: an image of 150 MB costs it 54 MiB then, and 11 with these. */
const YOUNG_SPACE: Readonly<Record<App, readonly string[]>> = { api: [], evaluator: ['--max-semi-space-size=2'] };

/** Where a built program of an app lies. */
export const programOf = (app: App, file = 'main'): string =>
  join(project, 'dist/apps', app, 'apps', app, 'src', `${file}.js`);

/** What Node is given to run an app. */
export const appArguments = (app: App): readonly string[] => [
  '--enable-source-maps',
  ...YOUNG_SPACE[app],
  programOf(app),
];
