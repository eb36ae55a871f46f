const typescript = [
  '@swc/jest',
  {
    jsc: {
      target: 'es2023',
      parser: { syntax: 'typescript', decorators: true },
      transform: { legacyDecorator: true, decoratorMetadata: true, useDefineForClassFields: false },
      keepClassNames: true,
    },
    module: { type: 'es6' },
    sourceMaps: 'inline',
  },
];

/** One tier of the tests: where its specs lie is the only thing in which tiers differ. */
const tier = (displayName, roots, more = {}) => ({
  displayName,
  testEnvironment: 'node',
  rootDir: import.meta.dirname,
  roots: roots.map((root) => `<rootDir>/${root}`),
  testMatch: ['**/*.spec.ts'],
  extensionsToTreatAsEsm: ['.ts'],
  transform: { '^.+\\.ts$': typescript },
  modulePathIgnorePatterns: ['<rootDir>/dist/', '<rootDir>/.assay/'],
  moduleNameMapper: {
    '^(\\.{1,2}/.*)\\.js$': '$1',
    '^@assay/sandbox/docker$': '<rootDir>/libs/sandbox/docker/index.ts',
    '^@assay/([a-z]+)$': '<rootDir>/libs/$1/src/index.ts',
  },
  ...more,
});

const onPostgres = {
  globalSetup: '<rootDir>/test/factories/postgres.setup.mjs',
  globalTeardown: '<rootDir>/test/factories/postgres.teardown.mjs',
};

/** @type {import('jest').Config} */
export default {
  // of one test, in any tier; Jest knows no timeout of a project
  testTimeout: 60_000,
  projects: [
    tier('unit', ['apps', 'libs', 'sandboxes', 'scripts']),
    tier('medium', ['test/medium'], onPostgres),
    tier('e2e', ['test/e2e'], onPostgres),
  ],
};
