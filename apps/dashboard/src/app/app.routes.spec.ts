import type { Routes } from '@angular/router';
import { describe, expect, it } from '@jest/globals';
import { isPage, PAGE_PATHS } from '../../../api/src/dashboard/page-paths.js';
import { routes } from './app.routes.js';

describe('the paths at which the API serves the dashboard', () => {
  it('are those of its route table', async () => {
    const paths = await pathsOf(routes);
    expect(paths.length).toBeGreaterThan(40);
    expect([...PAGE_PATHS].sort()).toEqual([...new Set(paths)].sort());
  });

  it.each(['/', '/tasks/moods', '/tasks/moods/', '/tasks/moods/models/0190', '/me', '/embed/tasks/moods/leaderboard'])(
    'include %s',
    (path) => expect(isPage(path)).toBe(true),
  );

  it.each(['/v2/', '/tasks', '/tasks/moods/nowhere', '/tasks//leaderboard', '/me/models/1', '/nowhere', '/help/x'])(
    'do not include %s',
    (path) => expect(isPage(path)).toBe(false),
  );
});

/** The full path of every page, those in lazily loaded route tables included. */
async function pathsOf(table: Routes, above = ''): Promise<string[]> {
  const paths = await Promise.all(
    table
      .filter(({ path }) => path !== '**')
      .map(async (route) => {
        const path = [above, route.path].filter((part) => part !== undefined && part !== '').join('/');
        const children = route.children ?? ((await route.loadChildren?.()) as Routes | undefined);
        return children ? pathsOf(children, path) : [path];
      }),
  );
  return paths.flat();
}
