/**
 * The paths of the dashboard's pages, as in the route table of its router. A spec of the dashboard
 * compares the two.
 */
export const PAGE_PATHS: readonly string[] = [
  '',
  'sign-in',
  'sign-in/username',
  'confirm-mail',
  'register',
  'help',
  'tasks/new',
  'me',
  ...[
    'models',
    'examples',
    'badges',
    'notifications',
    'profile',
    'storage',
    'tokens',
    'webhooks',
    'evaluators',
    'sessions',
    'account',
  ].map((page) => `me/${page}`),
  'submit',
  'tasks/:slug',
  ...['leaderboard', 'rounds', 'rounds/:number', 'data', 'compare', 'models/:id', 'submit', 'settings'].map(
    (page) => `tasks/:slug/${page}`,
  ),
  ...['definition', 'datasets', 'benchmark', 'loop', 'weights', 'rounds', 'plan', 'people', 'crowd'].map(
    (page) => `tasks/:slug/settings/${page}`,
  ),
  ...['annotate', 'validate', 'annotators'].map((page) => `tasks/:slug/${page}`),
  'users/:username',
  'embed/tasks/:slug/leaderboard',
  'admin',
  ...['users', 'queues', 'evaluators', 'sandboxes', 'storage', 'audit'].map((page) => `admin/${page}`),
];

const PAGE = new RegExp(`^/(?:${PAGE_PATHS.map((path) => path.replace(/:\w+/g, '[^/]+')).join('|')})/?$`);

/** Returns whether the dashboard has a page at `path`, for example `/tasks/moods`. */
export const isPage = (path: string): boolean => PAGE.test(path);
