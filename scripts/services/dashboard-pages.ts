import type { LeaderboardView } from '@assay/contracts/boards';
import type { RoundList } from '@assay/contracts/rounds';
import type { TaskView } from '@assay/contracts/tasks';
import type { ApiClient } from './api-client.js';

/** A page of the dashboard and its viewer. */
export interface DashboardPage {
  /** Lower-case letters and hyphens. Used in the names of screenshots. */
  readonly name: string;
  readonly path: string;
  /** The user who is signed in. Without it the page is opened by an anonymous visitor. */
  readonly as?: 'administrator' | 'annotator';
}

/**
 * Returns all pages of the dashboard, with their paths for a task with ranked models and rounds.
 * @param annotator the name of a user who takes part in the task
 */
export async function dashboardPages(
  client: ApiClient,
  slug: string,
  annotator: string,
): Promise<readonly DashboardPage[]> {
  const [task, board, rounds] = await Promise.all([
    client.send<TaskView>('GET', `/tasks/${slug}`),
    client.send<LeaderboardView>('GET', `/tasks/${slug}/leaderboard`),
    client.send<RoundList>('GET', `/tasks/${slug}/rounds`),
  ]);
  const models = board.rows.map(({ model }) => model.id);
  const incomplete = board.incomplete.map(({ model }) => model.id);
  const round = rounds.items.at(-1)?.number ?? 1;
  const of = (path: string): string => `/tasks/${slug}${path}`;
  return [
    { name: 'home', path: '/' },
    { name: 'overview', path: of('') },
    { name: 'leaderboard', path: of('/leaderboard') },
    { name: 'leaderboard-open-row', path: of(`/leaderboard?open=${models[1] ?? ''}`) },
    { name: 'leaderboard-custom', path: of(`/leaderboard?weights=${task.performance}:0.5`) },
    { name: 'rounds', path: of('/rounds') },
    { name: 'round', path: of(`/rounds/${round}`) },
    { name: 'data', path: of('/data') },
    { name: 'annotators', path: of('/annotators') },
    { name: 'model', path: of(`/models/${models[0] ?? ''}`) },
    ...incomplete.slice(0, 1).map((id) => ({ name: 'model-incomplete', path: of(`/models/${id}`) })),
    { name: 'compare', path: of(`/compare?models=${models.slice(0, 2).join(',')}`) },
    { name: 'compare-three', path: of(`/compare?models=${models.slice(0, 3).join(',')}`) },
    { name: 'embed', path: `/embed/tasks/${slug}/leaderboard` },
    { name: 'help', path: '/help' },
    { name: 'sign-in', path: '/sign-in' },
    { name: 'register', path: '/register' },
    { name: 'not-found', path: '/nowhere' },
    { name: 'profile', path: `/users/${annotator}` },
    { name: 'submit', path: of('/submit'), as: 'annotator' },
    { name: 'annotate', path: of('/annotate'), as: 'annotator' },
    { name: 'validate', path: of('/validate'), as: 'annotator' },
    ...[
      'models',
      'examples',
      'badges',
      'storage',
      'tokens',
      'webhooks',
      'evaluators',
      'sessions',
      'notifications',
      'profile',
      'account',
    ].map((part) => ({ name: `me-${part}`, path: `/me/${part}`, as: 'annotator' }) as const),
    { name: 'new-task', path: '/tasks/new', as: 'administrator' },
    ...['definition', 'datasets', 'benchmark', 'rounds', 'plan', 'loop', 'weights', 'people', 'crowd'].map(
      (part) => ({ name: `settings-${part}`, path: of(`/settings/${part}`), as: 'administrator' }) as const,
    ),
    ...['users', 'queues', 'evaluators', 'sandboxes', 'storage', 'audit'].map(
      (part) => ({ name: `admin-${part}`, path: `/admin/${part}`, as: 'administrator' }) as const,
    ),
  ];
}

export type Viewer = 'visitor' | NonNullable<DashboardPage['as']> | 'owner';

/** A page with all viewers who see it differently. */
export interface ShownPage {
  readonly name: string;
  readonly path: string;
  readonly viewers: readonly Viewer[];
}

/** Viewers in addition to the one in the page's own entry. */
const MORE_VIEWERS: Readonly<Record<string, readonly Viewer[]>> = {
  home: ['annotator'],
  overview: ['owner'],
  model: ['owner'],
  round: ['owner'],
  'emails-overview': ['administrator'],
  'failed-out_of_memory': ['owner'],
  'me-models': ['owner'],
  'me-storage': ['owner'],
  'me-notifications': ['owner'],
};

/** Returns all pages with their viewers. */
export function shownPages(pages: readonly DashboardPage[]): readonly ShownPage[] {
  const unknown = Object.keys(MORE_VIEWERS).filter((name) => !pages.some((page) => page.name === name));
  if (unknown.length > 0) throw new Error(`scripts/services/dashboard-pages.ts names no page: ${unknown.join(', ')}`);
  return pages.map(({ name, path, as }) => ({
    name,
    path,
    viewers: [as ?? 'visitor', ...(MORE_VIEWERS[name] ?? [])],
  }));
}
