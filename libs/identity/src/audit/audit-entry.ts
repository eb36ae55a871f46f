import type { AuditAction, AuditSubjectKind } from '@assay/contracts/operations';
import { newId } from '@assay/kernel';
import { defineEntity, p } from '@mikro-orm/core';

const AuditEntrySchema = defineEntity({
  name: 'AuditEntry',
  indexes: [{ properties: ['actor', 'id'] }, { properties: ['action', 'id'] }, { properties: ['subjectId', 'id'] }],
  triggers: [
    {
      name: 'audit_entry_stays',
      timing: 'before',
      // the migration also forbids truncate; the schema comparison does not see a trigger for that
      events: ['update', 'delete'],
      forEach: 'statement',
      body: `raise exception 'the audit log is only added to';`,
    },
  ],
  properties: {
    id: p.uuid().primary().onCreate(newId),
    at: p.datetime().defaultRaw('now()'),
    /**
     * Id of the account that acted; it identifies nobody after that account is deleted. Null: the
     * platform acted by itself.
     */
    actor: p.uuid().nullable(),
    action: p.string().length(40).$type<AuditAction>(),
    subjectKind: p.string().length(20).$type<AuditSubjectKind>(),
    subjectId: p.uuid(),
    /** Never the name of a person, because accounts can be deleted and audit entries cannot. */
    subjectName: p.string().length(200).nullable(),
    /** The values before and after the change, of the changed keys only. */
    from: p.json<AuditedFacts>().nullable(),
    to: p.json<AuditedFacts>().nullable(),
    /** The network of the request, not its address, for example `203.0.113.0/24`. */
    network: p.string().length(45).nullable(),
  },
});

export type AuditedFacts = Readonly<Record<string, unknown>>;

/** A record of a change that others rely on. */
export class AuditEntry extends AuditEntrySchema.class {}
AuditEntrySchema.setClass(AuditEntry);
