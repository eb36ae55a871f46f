import type { SearchResults, User } from '@assay/api-client/angular';
import type { IconName } from '../ui/layout/icons.js';

/** One result of the search. */
export interface SearchHit {
  readonly icon: IconName;
  readonly name: string;
  /** Distinguishes the result from others with the same name. */
  readonly note: string;
  /** A path of the dashboard. */
  readonly address: string;
}

export interface SearchGroup {
  readonly name: string;
  readonly hits: readonly SearchHit[];
}

/** Returns the actions that the search offers to this user, or to an anonymous visitor. */
export function actionsFor(user: User | null | undefined): readonly SearchHit[] {
  const everybody: readonly SearchHit[] = [
    { icon: 'leaderboard', name: $localize`All tasks`, note: '', address: '/' },
    { icon: 'help', name: $localize`Help: what the numbers mean`, note: '', address: '/help' },
  ];
  if (!user) return [...everybody, { icon: 'login', name: $localize`Sign in`, note: '', address: '/sign-in' }];
  const own: readonly SearchHit[] = [
    { icon: 'smart_toy', name: $localize`Your models`, note: '', address: '/me/models' },
    { icon: 'text_fields', name: $localize`Your examples`, note: '', address: '/me/examples' },
    { icon: 'notifications', name: $localize`Notifications`, note: '', address: '/me/notifications' },
    { icon: 'key', name: $localize`Tokens`, note: '', address: '/me/tokens' },
    { icon: 'webhook', name: $localize`Webhooks`, note: '', address: '/me/webhooks' },
    { icon: 'memory', name: $localize`Your evaluators`, note: '', address: '/me/evaluators' },
    { icon: 'add', name: $localize`Create a task`, note: '', address: '/tasks/new' },
  ];
  const administration: readonly SearchHit[] =
    user.role === 'administrator'
      ? [{ icon: 'settings', name: $localize`Administration`, note: '', address: '/admin/users' }]
      : [];
  return [...everybody, ...own, ...administration];
}

/**
 * Returns the results for `query` by group: results of the service, then actions whose name
 * contains the query. Omits empty groups.
 */
export function searchGroups(
  query: string,
  actions: readonly SearchHit[],
  found: SearchResults | undefined,
): readonly SearchGroup[] {
  const wanted = query.trim().toLowerCase();
  const groups: readonly SearchGroup[] = [
    {
      name: $localize`Tasks`,
      hits: (found?.tasks ?? []).map(({ slug, name }) => ({
        icon: 'leaderboard',
        name,
        note: slug,
        address: `/tasks/${slug}`,
      })),
    },
    {
      name: $localize`Models`,
      hits: (found?.models ?? []).map(({ id, name, task, owner }) => ({
        icon: 'smart_toy',
        name,
        note: `${owner} · ${task}`,
        address: `/tasks/${task}/models/${id}`,
      })),
    },
    {
      name: $localize`People`,
      hits: (found?.people ?? []).map(({ username, displayName }) => ({
        icon: 'person',
        name: displayName ?? username,
        note: username,
        address: `/users/${username}`,
      })),
    },
    { name: $localize`Go to`, hits: actions.filter(({ name }) => name.toLowerCase().includes(wanted)) },
  ];
  return groups.filter(({ hits }) => hits.length > 0);
}
