import { isIPv4, isIPv6 } from 'node:net';
import { isDeepStrictEqual } from 'node:util';
import type { AuditAction, AuditSubjectKind } from '@assay/contracts/operations';
import type { EntityManager } from '@mikro-orm/postgresql';
import { type AuditedFacts, AuditEntry } from './audit-entry.js';
import type { Principal } from '../principal.js';

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
    const keys = [...new Set([...Object.keys(from), ...Object.keys(to)])];
    const changed = keys.filter((key) => !isDeepStrictEqual(from[key], to[key]));
    if (changed.length === 0) return;
    const part = (facts: AuditedFacts) => Object.fromEntries(changed.map((key) => [key, facts[key] ?? null]));
    AuditLog.record(em, actor, { ...entry, from: part(from), to: part(to) });
  },
} as const;

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
