import type { AuditRecord } from '@assay/identity';
import type { Round } from '@assay/tasks';

/** The round, as the audit log names it. */
export const auditedRound = ({ id, number, task }: Round): AuditRecord['subject'] => ({
  kind: 'round',
  id,
  name: `${task.slug} round ${number}`,
});
