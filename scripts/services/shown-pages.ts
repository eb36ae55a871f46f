import type { DashboardPage } from './dashboard-pages.js';

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
  if (unknown.length > 0) throw new Error(`scripts/services/shown-pages.ts names no page: ${unknown.join(', ')}`);
  return pages.map(({ name, path, as }) => ({
    name,
    path,
    viewers: [as ?? 'visitor', ...(MORE_VIEWERS[name] ?? [])],
  }));
}
