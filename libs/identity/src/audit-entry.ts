import type { AuditAction, AuditSubjectKind } from '@assay/contracts';
import { newId } from '@assay/kernel';
import { defineEntity, p } from '@mikro-orm/core';

const AuditEntrySchema = defineEntity({
  name: 'AuditEntry',
  indexes: [{ properties: ['actor', 'id'] }, { properties: ['action', 'id'] }, { properties: ['subjectId', 'id'] }],
  triggers: [
    {
      name: 'audit_entry_stays',
      timing: 'before',
      // its migration also refuses to truncate; a trigger for that is not seen when schemas are compared
      events: ['update', 'delete'],
      forEach: 'statement',
      body: `raise exception 'the audit log is only added to';`,
    },
  ],
  properties: {
    id: p.uuid().primary().onCreate(newId),
    at: p.datetime().defaultRaw('now()'),
    /** Id of the account that did it, which names nobody once that is deleted. Null: the platform did it by itself. */
    actor: p.uuid().nullable(),
    action: p.string().length(40).$type<AuditAction>(),
    subjectKind: p.string().length(20).$type<AuditSubjectKind>(),
    subjectId: p.uuid(),
    /** Never of a person: their account may be deleted, and nothing is taken out of here. */
    subjectName: p.string().length(200).nullable(),
    /** What was so before, and is so since: of what changed alone. */
    from: p.json<AuditedFacts>().nullable(),
    to: p.json<AuditedFacts>().nullable(),
    /** The network that the request came from, not the address: like `203.0.113.0/24`. */
    network: p.string().length(45).nullable(),
  },
});

export type AuditedFacts = Readonly<Record<string, unknown>>;

/** That somebody changed something which others rely on. */
export class AuditEntry extends AuditEntrySchema.class {}
AuditEntrySchema.setClass(AuditEntry);
