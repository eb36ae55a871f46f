import { accountsPersonalData } from '@assay/accounts';
import { collectionPersonalData } from '@assay/collection';
import { evaluatorsPersonalData } from '@assay/evaluation/evaluators';
import { identityPersonalData } from '@assay/identity';
import { leaderboardPersonalData } from '@assay/leaderboard';
import { notificationsPersonalData } from '@assay/notifications';
import type { PersonalData } from '@assay/persistence';
import { submissionsPersonalData } from '@assay/submissions';
import { tasksPersonalData } from '@assay/tasks';

/** The data of all contexts about people, in the order of an export. */
export const PERSONAL_DATA: readonly PersonalData[] = [
  identityPersonalData,
  accountsPersonalData,
  tasksPersonalData,
  submissionsPersonalData,
  evaluatorsPersonalData,
  leaderboardPersonalData,
  collectionPersonalData,
  notificationsPersonalData,
];
