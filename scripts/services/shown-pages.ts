import type { DashboardPage } from './dashboard-pages.js';

export type Viewer = 'visitor' | NonNullable<DashboardPage['as']> | 'owner';

/** A page, and everybody to whom it looks different. */
export interface ShownPage {
  readonly name: string;
  readonly path: string;
  readonly viewers: readonly Viewer[];
}

/** Pages that show a component in a state that another page shows as well. */
const REPEATED: ReadonlySet<string> = new Set([
  ...['sarcasm', 'headlines', 'one-model', 'hebrew', 'reading', 'translation', 'essay-grades', 'tone'].map(
    (task) => `${task}-overview`,
  ),
  ...['headlines', 'one-model', 'reading', 'translation', 'topics', 'reviews'].map((task) => `${task}-board`),
  ...['emails-data', 'dialogue-acts-data', 'a-slug-that-is-about-as-long-as-slugs-go-rounds'],
  ...['failed-model_exited', 'failed-never_ready', 'failed-unknown_label'],
]);

/** Viewers besides the one whom the page's entry names. */
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

/** One page for each component and state. */
export function shownPages(pages: readonly DashboardPage[]): readonly ShownPage[] {
  const names = new Set(pages.map(({ name }) => name));
  const unknown = [...REPEATED, ...Object.keys(MORE_VIEWERS)].filter((name) => !names.has(name));
  if (unknown.length > 0) throw new Error(`scripts/services/shown-pages.ts names no page: ${unknown.join(', ')}`);
  return pages
    .filter(({ name }) => !REPEATED.has(name))
    .map(({ name, path, as }): ShownPage => ({
      name,
      path,
      viewers: [as ?? 'visitor', ...(MORE_VIEWERS[name] ?? [])],
    }));
}
