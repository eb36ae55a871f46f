import { collectionEntities } from '@assay/collection';
import { evaluationEntities } from '@assay/evaluation';
import { identityEntities } from '@assay/identity';
import { leaderboardEntities } from '@assay/leaderboard';
import { databaseOptions, OutboxEvent } from '@assay/persistence';
import { submissionsEntities } from '@assay/submissions';
import { tasksEntities } from '@assay/tasks';
import { migrations } from '../migrations/index.js';
import type { Environment } from './environment.js';

/**
 * Returns the ORM options of the API, which owns the migrations.
 * @param url the URL for the role to connect as
 */
export function apiDatabase(environment: Environment, url = environment.databaseUrl) {
  return databaseOptions({
    url,
    entities: [
      ...identityEntities,
      ...tasksEntities,
      ...submissionsEntities,
      ...evaluationEntities,
      ...leaderboardEntities,
      ...collectionEntities,
      OutboxEvent,
    ],
    migrations,
    poolMax: environment.poolMax,
    applicationName: 'assay-api',
  });
}
