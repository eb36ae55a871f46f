import { isIPv4, isIPv6 } from 'node:net';
import { isDeepStrictEqual } from 'node:util';
import type { AuditAction, AuditSubjectKind } from '@assay/contracts/operations';
import { newId } from '@assay/kernel';
import { defineEntity, type EntityManager, p } from '@mikro-orm/postgresql';
import type { Principal } from '../user.js';

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

/** The user who acts, or null if the platform acts by a rule. */
export type Actor = Pick<Principal, 'userId' | 'address'> | null;

export interface AuditRecord {
  readonly action: AuditAction;
  /** `name` must never be the name of a person. */
  readonly subject: { readonly kind: AuditSubjectKind; readonly id: string; readonly name?: string };
  readonly from?: AuditedFacts;
  readonly to?: AuditedFacts;
}

const LONGEST_NAME = 200;

export const AuditLog = {
  /**
   * Adds an entry in the transaction of `em`: it is recorded if and only if that transaction
   * commits.
   */
  record(em: EntityManager, actor: Actor, { action, subject, from, to }: AuditRecord): void {
    em.create(
      AuditEntry,
      {
        actor: actor?.userId ?? null,
        action,
        subjectKind: subject.kind,
        subjectId: subject.id,
        subjectName: subject.name?.slice(0, LONGEST_NAME) ?? null,
        from: from ?? null,
        to: to ?? null,
        network: actor?.address === undefined ? null : networkOf(actor.address),
      },
      { persist: true },
    );
  },

  /** Same as `record`, with only the keys whose values differ. Records nothing if all are equal. */
  recordChange(
    em: EntityManager,
    actor: Actor,
    entry: Pick<AuditRecord, 'action' | 'subject'>,
    { from, to }: { readonly from: AuditedFacts; readonly to: AuditedFacts },
  ): void {
    const changes = differences(from, to);
    if (Object.keys(changes.to).length > 0) AuditLog.record(em, actor, { ...entry, ...changes });
  },
} as const;

/** Returns the facts that differ, before and after. */
export function differences(
  from: AuditedFacts,
  to: AuditedFacts,
): { readonly from: AuditedFacts; readonly to: AuditedFacts } {
  const keys = [...new Set([...Object.keys(from), ...Object.keys(to)])];
  const changed = keys.filter((key) => !isDeepStrictEqual(from[key], to[key]));
  const part = (facts: AuditedFacts): AuditedFacts =>
    Object.fromEntries(changed.map((key) => [key, facts[key] ?? null]));
  return { from: part(from), to: part(to) };
}

/**
 * Returns the network of an address (IPv4 /24, IPv6 /48), or null if it is not an IP address. The
 * network may be stored permanently: it shows that a request came from elsewhere, but does not
 * identify a person.
 */
export function networkOf(address: string): string | null {
  const plain = address.replace(/^::ffff:(?=\d+\.)/i, '');
  if (isIPv4(plain)) return plain.replace(/\.\d+$/, '.0/24');
  if (!isIPv6(plain)) return null;
  const [start = ''] = plain.split('::');
  const groups = [...start.split(':').filter((group) => group !== ''), '0', '0', '0'];
  return `${groups.slice(0, 3).join(':')}::/48`;
}
