import { open, type Rule, rule, secretModel, wideOpen } from './route-rules.js';

interface UndocumentedRoute {
  /** A URL path of the route, with its query. */
  readonly path: string;
  readonly rule: Rule;
}

/** The rule of an upload under way: it belongs to the owner of the model. */
export const UPLOAD_RULE: Rule = secretModel();

/**
 * Routes that are not in the OpenAPI document, each with its rule. The test fails for a route that
 * is in neither list.
 */
export const UNDOCUMENTED: Readonly<Record<string, UndocumentedRoute>> = {
  // protected by a separate token, which is no user's
  'GET /metrics': { path: '/metrics', rule: rule([], 'sign in', 'sign in', { but: { crowd: 'sign in' } }) },
  // the WebSocket of evaluators
  'GET /api/v1/evaluator/live': {
    path: '/api/v1/evaluator/live?protocol=2',
    rule: rule(['evaluator'], 'sign in', 'sign in', { but: { crowd: 'sign in' } }),
  },
  'GET /api/v1/crowd/:link': { path: '/api/v1/crowd/none', rule: open() },
  'GET /': { path: '/', rule: wideOpen() },
  'GET /*': { path: '/tasks/moods', rule: wideOpen() },
  'GET /page.js': { path: '/page.js', rule: wideOpen() },
  'GET /api/docs': { path: '/api/docs', rule: wideOpen() },
  'GET /api/docs/': { path: '/api/docs/', rule: wideOpen() },
  'GET /api/docs/*': { path: '/api/docs/swagger-ui.css', rule: wideOpen() },
  'GET /api/docs/LICENSE': {
    path: '/api/docs/LICENSE',
    rule: rule([], 'absent', 'absent', { but: { crowd: 'absent', evaluator: 'absent' } }),
  },
  'GET /api/docs/index.html': { path: '/api/docs/index.html', rule: wideOpen() },
  // the page is also served below its own path
  'GET /api/docs/docs/*': { path: '/api/docs/docs/swagger-ui.css', rule: wideOpen() },
  'GET /api/docs/docs/swagger-ui-init.js': { path: '/api/docs/docs/swagger-ui-init.js', rule: wideOpen() },
  'GET /api/docs/swagger-ui-init.js': { path: '/api/docs/swagger-ui-init.js', rule: wideOpen() },
  'GET /api/v1/openapi.json': { path: '/api/v1/openapi.json', rule: wideOpen() },
  'GET /api/v1/openapi.yaml': { path: '/api/v1/openapi.yaml', rule: wideOpen() },
};

/**
 * Routes of the upload protocol, which accept every method. Separate tests check them against
 * `UPLOAD_RULE`.
 */
export const UPLOADS = ['ALL /api/v1/models/:id/upload', 'ALL /api/v1/models/:id/upload/:upload'] as const;
