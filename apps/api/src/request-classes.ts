/** The classes of requests by their approximate cost in CPU time. Each class has its own budget. */
export const REQUEST_CLASSES = ['read', 'costly', 'change', 'upload', 'live', 'sign-in'] as const;
export type RequestClass = (typeof REQUEST_CLASSES)[number];

const READS: readonly string[] = ['GET', 'HEAD', 'OPTIONS'];

/**
 * The routes below `/api/v1/` whose requests are neither cheap reads nor ordinary changes. `ALL`
 * stands for every method.
 */
const CLASSES: Readonly<Record<Exclude<RequestClass, 'read' | 'change'>, readonly string[]>> = {
  // thousands of rows, a file, or figures that are computed for the caller
  costly: [
    'GET search',
    'GET overview',
    'GET me/export',
    'GET admin/storage',
    'GET tasks/:slug/annotators',
    'GET tasks/:slug/compare',
    'GET tasks/:slug/compare/examples',
    'GET tasks/:slug/datasets/:name/content',
    'GET tasks/:slug/datasets/:name/perturbations/:kind',
    'GET tasks/:slug/datasets/:name/perturbations/:kind/sample',
    'GET tasks/:slug/datasets/:name/versions/:version/content',
    'GET tasks/:slug/datasets/:name/versions/:version/croissant',
    'GET tasks/:slug/export',
    'GET tasks/:slug/history',
    'GET tasks/:slug/leaderboard',
    'GET tasks/:slug/leaderboard/matrix',
    'GET tasks/:slug/numbers',
    'GET tasks/:slug/rounds/:number/data-card',
    'GET tasks/:slug/rounds/:number/data/:part',
    'GET tasks/:slug/rounds/:number/export',
    'GET tasks/:slug/rounds/:number/numbers',
    'GET tasks/:slug/rounds/:number/validators',
    'GET tasks/:slug/saturation',
    'GET tasks/:slug/trend',
    'GET models/:id/datasets/:name/confusion',
    'GET models/:id/datasets/:name/examples',
    'GET models/:id/model-index',
    'GET models/:id/result',
    'POST task-checks',
    'POST tasks/:slug/benchmark-versions',
    'POST tasks/:slug/loop/preview',
    'POST tasks/:slug/preview',
  ],
  upload: [
    'PUT models/:id/artifact',
    'ALL models/:id/upload',
    'ALL models/:id/upload/:upload',
    'PUT tasks/:slug/datasets/:name',
    'POST tasks/:slug/datasets/:name/check',
    'PUT tasks/:slug/datasets/:name/perturbations/:kind',
    'PUT tasks/:slug/datasets/:name/perturbations/:kind/validations',
    'PUT tasks/:slug/rounds/:number/contexts',
    'PUT tasks/:slug/rounds/:number/examples',
  ],
  // a model answers
  live: [
    'POST models/:id/predict',
    'POST annotations/:id/inspect',
    'POST tasks/:slug/rounds/:number/annotations',
    'POST tasks/:slug/rounds/:number/inspect',
  ],
  // a password is hashed, or an attacker could guess secrets
  'sign-in': [
    'POST auth/login',
    'POST auth/login-by-token',
    'POST auth/mail-confirmation',
    'POST auth/provider/registration',
    'POST auth/register',
    'GET auth/provider',
    'GET auth/provider/callback',
    'POST crowd/sessions',
    'POST me/deletion',
    'POST me/mail-confirmation',
    'POST me/password',
    'POST me/provider',
    'POST me/provider/:id/unlink',
  ],
};

const CLASS_OF_ROUTE = new Map(
  Object.entries(CLASSES).flatMap(([name, routes]) =>
    routes.map((route) => [route.replace(' ', ' /api/v1/'), name as RequestClass] as const),
  ),
);

/**
 * Returns the class of a request.
 * @param route the pattern of the router, for example `/api/v1/tasks/:slug`
 */
export const classOf = (method: string, route: string): RequestClass =>
  CLASS_OF_ROUTE.get(`${method === 'HEAD' ? 'GET' : method} ${route}`) ??
  CLASS_OF_ROUTE.get(`ALL ${route}`) ??
  (READS.includes(method) ? 'read' : 'change');
