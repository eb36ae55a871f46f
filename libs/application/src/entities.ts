import { accountsEntities } from '@assay/accounts';
import { collectionEntities } from '@assay/collection';
import { evaluationEntities } from '@assay/evaluation';
import { identityEntities } from '@assay/identity';
import { leaderboardEntities } from '@assay/leaderboard';
import { notificationsEntities } from '@assay/notifications';
import { OutboxEvent } from '@assay/persistence/outbox';
import { servingEntities } from '@assay/serving';
import { submissionsEntities } from '@assay/submissions';
import { tasksEntities } from '@assay/tasks';

/** The database entities of all contexts, and of the outbox. */
export const entities = [
  ...identityEntities,
  ...accountsEntities,
  ...tasksEntities,
  ...submissionsEntities,
  ...evaluationEntities,
  ...leaderboardEntities,
  ...servingEntities,
  ...collectionEntities,
  ...notificationsEntities,
  OutboxEvent,
];
