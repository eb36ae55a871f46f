import type { AuditRecord } from '@assay/identity/audit';
import type { Round } from '@assay/tasks';

/** Returns the round as a subject of the audit log. */
export const auditedRound = ({ id, number, task }: Round): AuditRecord['subject'] => ({
  kind: 'round',
  id,
  name: `${task.slug} round ${number}`,
});
