import { Migration } from '@mikro-orm/migrations';

export class Migration20261123010200 extends Migration {
  override name = 'Migration20261123010200';

  override up(): void | Promise<void> {
    this.addSql(
      `create table "audit_entry" ("id" uuid not null, "at" timestamptz not null default now(), "actor" uuid null, "action" varchar(40) not null, "subject_kind" varchar(20) not null, "subject_id" uuid not null, "subject_name" varchar(200) null, "from" jsonb null, "to" jsonb null, "network" varchar(45) null, primary key ("id"));`,
    );
    this.addSql(`create index "audit_entry_actor_id_index" on "audit_entry" ("actor", "id");`);
    this.addSql(`create index "audit_entry_action_id_index" on "audit_entry" ("action", "id");`);
    this.addSql(`create index "audit_entry_subject_id_id_index" on "audit_entry" ("subject_id", "id");`);

    this.addSql(
      `create or replace function "audit_entry_audit_entry_stays_fn"() returns trigger as \$\$ begin raise exception 'the audit log is only added to'; end; \$\$ language plpgsql;`,
    );
    this.addSql(
      `create trigger "audit_entry_stays" BEFORE UPDATE OR DELETE on "audit_entry" for each STATEMENT execute function "audit_entry_audit_entry_stays_fn"();`,
    );
    this.addSql(
      `create trigger "audit_entry_not_emptied" BEFORE TRUNCATE on "audit_entry" for each STATEMENT execute function "audit_entry_audit_entry_stays_fn"();`,
    );
  }
}
