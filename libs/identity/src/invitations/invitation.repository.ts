import type { InvitationView } from '@assay/contracts/operations';
import type { PartOfList } from '@assay/kernel';
import { preparedRows, Repository } from '@assay/persistence/queries';

/** A row as the driver returns it, with times as texts. */
type ListedRow = Omit<InvitationView, 'createdAt' | 'endsAt' | 'usedAt'> &
  Record<'createdAt' | 'endsAt', string> & { readonly usedAt: string | null };

/** The invitations of the database. */
export class InvitationRepository extends Repository {
  /** Returns one page of the invitations that are used or have not ended, newest first. */
  async list({ most, after }: PartOfList): Promise<readonly InvitationView[]> {
    const rows = await preparedRows<ListedRow>(
      this.em,
      `select i.id, i.created_at as "createdAt", i.ends_at as "endsAt", u.created_at as "usedAt",
          case when u.deleted_at is null then u.username end as "usedBy"
         from invitation i left join user_account u on u.invitation_id = i.id
        where (u.id is not null or i.ends_at > now()) and ($1::uuid is null or i.id < $1) order by i.id desc limit $2`,
      [after, most],
    );
    return rows.map(({ createdAt, endsAt, usedAt, ...row }) => ({
      ...row,
      createdAt: timeOf(createdAt),
      endsAt: timeOf(endsAt),
      usedAt: usedAt && timeOf(usedAt),
    }));
  }
}

const timeOf = (text: string): string => new Date(text).toISOString();
