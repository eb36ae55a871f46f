import { collectionEntities } from '@assay/collection';
import { evaluationEntities } from '@assay/evaluation';
import { identityEntities } from '@assay/identity';
import { leaderboardEntities } from '@assay/leaderboard';
import { databaseOptions, OutboxEvent } from '@assay/persistence';
import { submissionsEntities } from '@assay/submissions';
import { tasksEntities } from '@assay/tasks';
import { MikroORM } from '@mikro-orm/postgresql';
import type { ServiceAddress } from './service-client.js';

/**
 * Connects to the database of a service with all entities, to add rows that no request can create.
 * The caller closes the connection.
 */
export function serviceOrm({ databaseUrl }: Pick<ServiceAddress, 'databaseUrl'>): Promise<MikroORM> {
  const entities = [
    ...identityEntities,
    ...tasksEntities,
    ...submissionsEntities,
    ...evaluationEntities,
    ...leaderboardEntities,
    ...collectionEntities,
    OutboxEvent,
  ];
  return MikroORM.init(databaseOptions({ url: databaseUrl, entities, poolMax: 2 }));
}
