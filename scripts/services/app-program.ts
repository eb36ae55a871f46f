import { join } from 'node:path';
import { project } from '../command.js';

export type App = 'api' | 'evaluator';

/**
 * MiB of a half of V8's young space. Left alone it takes 64 on a large machine and touches them little by little, which looks like a leak for
 * half an hour and is 85 MiB that the API does not need. With as much as that, what an evaluator streams piles up: an image of 150 MB costs it 54
 * MiB then, and 11 with these 2.
 */
const YOUNG_SPACE: Readonly<Record<App, number>> = { api: 16, evaluator: 2 };

/** Where a built program of an app lies. */
export const programOf = (app: App, file = 'main'): string =>
  join(project, 'dist/apps', app, 'apps', app, 'src', `${file}.js`);

/** What Node is given to run an app. */
export const appArguments = (app: App): readonly string[] => [
  '--enable-source-maps',
  `--max-semi-space-size=${YOUNG_SPACE[app]}`,
  programOf(app),
];
