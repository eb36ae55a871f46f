import { existsSync } from 'node:fs';
import angularPresets from 'jest-preset-angular/presets/index.js';
import { generateClient } from './scripts/generate-client.ts';

await generateClient();

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
  roots: withSuites(
    displayName,
    roots.map((root) => `<rootDir>/${root}`),
  ),
  testMatch: ['**/*.spec.ts'],
  extensionsToTreatAsEsm: ['.ts'],
  transform: { '^.+\\.ts$': typescript },
  setupFiles: ['<rootDir>/test/factories/properties.setup.mjs'],
  modulePathIgnorePatterns: ['<rootDir>/dist/', '<rootDir>/.assay/'],
  moduleNameMapper: {
    '^(\\.{1,2}/.*)\\.js$': '$1',
    '^@assay/([a-z-]+)/(.+)$': '<rootDir>/libs/$1/src/$2/index.ts',
    '^@assay/([a-z]+)$': '<rootDir>/libs/$1/src/index.ts',
  },
  ...more,
});

/** Where specs lie, and the suites of them that `scripts/test` writes (scripts/test-suites.ts). */
const withSuites = (project, roots) => {
  const suites = `${process.env.ASSAY_TEST_SUITES}/${project}`;
  return existsSync(suites) ? [...roots, suites] : roots;
};

const onPostgres = {
  globalSetup: '<rootDir>/test/factories/worlds/postgres.setup.mjs',
  globalTeardown: '<rootDir>/test/factories/worlds/postgres.teardown.mjs',
};

/** PostgreSQL as well, and the service that specs share (test/factories/worlds/shared-service.ts). */
const onSharedService = {
  globalSetup: '<rootDir>/test/factories/worlds/shared-service.setup.mjs',
  globalTeardown: '<rootDir>/test/factories/worlds/shared-service.teardown.mjs',
};

const angular = angularPresets.createEsmPreset({ tsconfig: '<rootDir>/apps/dashboard/tsconfig.json' });

/** What runs in browsers: on a DOM, and compiled as Angular's own build does. */
const dashboard = {
  ...angular,
  displayName: 'dashboard',
  rootDir: import.meta.dirname,
  roots: withSuites('dashboard', ['<rootDir>/apps/dashboard']),
  testMatch: ['**/*.spec.ts'],
  setupFilesAfterEnv: ['<rootDir>/apps/dashboard/src/test-setup.ts'],
  modulePathIgnorePatterns: ['<rootDir>/dist/', '<rootDir>/.assay/'],
  moduleNameMapper: {
    ...angular.moduleNameMapper,
    '^(\\.{1,2}/.*)\\.js$': '$1',
    '^@assay/([a-z-]+)/(.+)$': '<rootDir>/libs/$1/src/$2/index.ts',
    '^@assay/([a-z]+)$': '<rootDir>/libs/$1/src/index.ts',
  },
};

/** @type {import('jest').Config} */
export default {
  // of one test, in any tier; Jest knows no timeout of a project
  testTimeout: 60_000,
  // what specs load is never let go of by the process that ran them: one that has so much makes room for a fresh one
  workerIdleMemoryLimit: '600MB',
  projects: [
    tier('unit', [
      'apps/api',
      'apps/cli',
      'apps/evaluator',
      'apps/worker',
      'libs',
      'sandboxes',
      'scripts',
      'test/bench',
    ]),
    dashboard,
    tier('medium', ['test/medium'], onPostgres),
    tier('e2e', ['test/e2e'], onSharedService),
    // each spec has servers of its own, which it may kill
    tier('faults', ['test/faults']),
  ],
};
