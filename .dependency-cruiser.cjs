// The layers of the architecture: a module imports only what is below it, contexts in this order.
const contexts = ['identity', 'accounts', 'tasks', 'submissions', 'evaluation', 'leaderboard', 'serving', 'collection'];
const adapters = 'persistence|jobs|storage|sandbox|observability';

/** A lib sees only the libs below it. */
const only = (name, from, allowed, comment) => ({
  name,
  comment,
  severity: 'error',
  from: { path: from },
  to: { path: '^(libs|apps)/', pathNot: [from, ...allowed.map((lib) => `^libs/${lib}/`)] },
});

module.exports = {
  forbidden: [
    { name: 'no-circular', severity: 'error', from: {}, to: { circular: true } },
    {
      name: 'only-the-index',
      comment: 'A lib is imported through its index, or through the index of one of its folders.',
      severity: 'error',
      from: { path: '^(apps|libs)/([^/]+)/' },
      to: {
        path: '^libs/([^/]+)/',
        pathNot: [
          '^libs/$2/',
          '^libs/[^/]+/src/index.ts$',
          '^libs/[^/]+/src/[a-z-]+/index.ts$',
          '^libs/api-client/src/fetch/client/index.ts$',
        ],
      },
    },
    {
      name: 'api-client-serves-cli-and-dashboard',
      comment: 'The services do not call their own API.',
      severity: 'error',
      from: { pathNot: '^apps/(cli|dashboard)/' },
      to: { path: '^libs/api-client/' },
    },
    only('kernel-imports-nothing', '^libs/kernel/', [], 'The kernel imports nothing of ours.'),
    only(
      'contracts-are-pure',
      '^libs/contracts/',
      ['kernel', 'scoring'],
      'Contracts derive the names, units and directions of metrics from their declarations, which are in scoring.',
    ),
    only('scoring-is-pure', '^libs/scoring/', ['kernel'], 'Scoring knows nothing but numbers.'),
    only(
      'adapters-import-no-context',
      `^libs/(${adapters})/`,
      ['kernel', 'contracts', adapters],
      'Adapters never import contexts.',
    ),
    ...contexts.map((context, place) =>
      only(
        `${context}-looks-down`,
        `^libs/${context}/`,
        ['kernel', 'contracts', 'scoring', `(${adapters})`, ...contexts.slice(0, place)],
        'Contexts depend in the order given.',
      ),
    ),
    only(
      'notifications-looks-down',
      '^libs/notifications/',
      ['kernel', 'contracts', `(${adapters})`, 'accounts', 'identity'],
      'Notifications do not know what causes them.',
    ),
    only(
      'application-combines-contexts',
      '^libs/application/',
      ['kernel', 'contracts', 'scoring', `(${adapters})`, ...contexts, 'notifications'],
      'Use cases know the contexts, and no app.',
    ),
    {
      name: 'controllers-without-orm',
      comment: 'A controller parses, calls a use case and presents the result.',
      severity: 'error',
      from: { path: '^apps/api/.*\\.controller\\.ts$' },
      to: { path: 'node_modules/@mikro-orm/|node_modules/(kysely|pg)/' },
    },
    {
      name: 'api-has-no-docker-client',
      severity: 'error',
      from: { path: '^apps/api/' },
      to: { path: '^libs/sandbox/src/docker/|node_modules/dockerode' },
    },
    {
      name: 'evaluator-has-no-database',
      comment: 'An evaluator holds a token and a Docker engine. It loads no client of the database or of the queue.',
      severity: 'error',
      from: { path: '^apps/evaluator/', pathNot: '\\.spec\\.ts$' },
      to: {
        path: '^libs/',
        pathNot:
          '^libs/(kernel|contracts|scoring|observability|sandbox|persistence/src/locks|storage/src/bytes|tasks/src/(examples|limits))/',
      },
    },
    {
      name: 'models-run-in-sandboxes',
      comment: 'What reads models is never loaded outside a sandbox.',
      severity: 'error',
      from: { path: '^(apps|libs)/' },
      to: { path: '(^|/)onnxruntime-(node|web|common)(/|$)' },
    },
    {
      name: 'apps-are-apart',
      comment: 'A spec may compare what two apps declare.',
      severity: 'error',
      from: { path: '^apps/([^/]+)/', pathNot: '\\.spec\\.ts$' },
      to: { path: '^apps/', pathNot: '^apps/$1/' },
    },
    {
      name: 'dashboard-runs-in-browsers',
      comment: 'What the dashboard imports is pure: numbers and errors; or generated for it: the API client.',
      severity: 'error',
      from: { path: '^apps/dashboard/' },
      to: { path: '^libs/', pathNot: '^libs/(scoring|kernel|api-client/src/angular)/' },
    },
    {
      name: 'no-orphans',
      severity: 'error',
      from: { orphan: true, pathNot: ['\\.spec\\.ts$', 'main\\.ts$', '\\.d\\.ts$', '/public/', '\\.mjs$'] },
      to: {},
    },
  ],
  options: {
    tsConfig: { fileName: 'tsconfig.json' },
    doNotFollow: { path: 'node_modules|^libs/api-client/src/' },
    exclude: { path: '^dist/' },
    tsPreCompilationDeps: true,
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'require', 'node', 'default', 'types'],
    },
    reporterOptions: { mermaid: { minify: false } },
  },
};
