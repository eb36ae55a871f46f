import { Migration } from '@mikro-orm/migrations';

/**
 * Counts the examples of each annotator in a round when they change. The trigger's lock on
 * `annotation` is held until the end of the migration, so no change is missed.
 */
export class Migration20261130140000CountAnnotators extends Migration {
  override name = 'Migration20261130140000CountAnnotators';

  override up(): void | Promise<void> {
    this.addSql(
      `create table "annotator_count" ("round_id" uuid not null, "pseudonym" varchar(64) not null, "source" varchar(10) not null, "examples" int not null default 0, "retracted" int not null default 0, "answered" int not null default 0, "fooled" int not null default 0, "pending" int not null default 0, "validated" int not null default 0, "rejected" int not null default 0, "flagged" int not null default 0, "undecided" int not null default 0, "faced" int not null default 0, "faced_pending" int not null default 0, "validated_fooling" int not null default 0, primary key ("round_id", "pseudonym", "source"));`,
    );
    this.addSql(
      `alter table "annotator_count" add constraint "annotator_count_round_id_foreign" foreign key ("round_id") references "round" ("id") on delete cascade;`,
    );
    this.addSql(
      `create or replace function "annotation_annotation_counts_fn"() returns trigger as \$\$ begin if tg_op = 'UPDATE' and (new.round_id, new.pseudonym, new.source, new.is_check, new.retracted_at, new.answered_at, new.fooled, new.outcome) is not distinct from (old.round_id, old.pseudonym, old.source, old.is_check, old.retracted_at, old.answered_at, old.fooled, old.outcome) then return null; end if; if tg_op <> 'INSERT' and not old.is_check then update annotator_count set examples = examples - (old.retracted_at is null)::int, retracted = retracted - (old.retracted_at is not null)::int, answered = answered - (old.retracted_at is null and old.answered_at is not null)::int, fooled = fooled - (old.retracted_at is null and old.answered_at is not null and old.fooled is true)::int, pending = pending - (old.retracted_at is null and old.answered_at is not null and old.outcome = 'pending')::int, validated = validated - (old.retracted_at is null and old.answered_at is not null and old.outcome = 'validated')::int, rejected = rejected - (old.retracted_at is null and old.answered_at is not null and old.outcome = 'rejected')::int, flagged = flagged - (old.retracted_at is null and old.answered_at is not null and old.outcome = 'flagged')::int, undecided = undecided - (old.retracted_at is null and old.answered_at is not null and old.outcome = 'undecided')::int, faced = faced - (old.retracted_at is null and old.fooled is not null)::int, faced_pending = faced_pending - (old.retracted_at is null and old.fooled is not null and old.outcome = 'pending')::int, validated_fooling = validated_fooling - (old.retracted_at is null and old.fooled is not null and old.fooled and old.outcome = 'validated')::int where round_id = old.round_id and pseudonym = old.pseudonym and source = old.source; end if; if tg_op <> 'DELETE' and not new.is_check then insert into annotator_count (round_id, pseudonym, source, examples, retracted, answered, fooled, pending, validated, rejected, flagged, undecided, faced, faced_pending, validated_fooling) values (new.round_id, new.pseudonym, new.source, (new.retracted_at is null)::int, (new.retracted_at is not null)::int, (new.retracted_at is null and new.answered_at is not null)::int, (new.retracted_at is null and new.answered_at is not null and new.fooled is true)::int, (new.retracted_at is null and new.answered_at is not null and new.outcome = 'pending')::int, (new.retracted_at is null and new.answered_at is not null and new.outcome = 'validated')::int, (new.retracted_at is null and new.answered_at is not null and new.outcome = 'rejected')::int, (new.retracted_at is null and new.answered_at is not null and new.outcome = 'flagged')::int, (new.retracted_at is null and new.answered_at is not null and new.outcome = 'undecided')::int, (new.retracted_at is null and new.fooled is not null)::int, (new.retracted_at is null and new.fooled is not null and new.outcome = 'pending')::int, (new.retracted_at is null and new.fooled is not null and new.fooled and new.outcome = 'validated')::int) on conflict (round_id, pseudonym, source) do update set examples = annotator_count.examples + excluded.examples, retracted = annotator_count.retracted + excluded.retracted, answered = annotator_count.answered + excluded.answered, fooled = annotator_count.fooled + excluded.fooled, pending = annotator_count.pending + excluded.pending, validated = annotator_count.validated + excluded.validated, rejected = annotator_count.rejected + excluded.rejected, flagged = annotator_count.flagged + excluded.flagged, undecided = annotator_count.undecided + excluded.undecided, faced = annotator_count.faced + excluded.faced, faced_pending = annotator_count.faced_pending + excluded.faced_pending, validated_fooling = annotator_count.validated_fooling + excluded.validated_fooling; end if; return null; end; \$\$ language plpgsql;`,
    );
    this.addSql(
      `create trigger "annotation_counts" AFTER INSERT OR UPDATE OR DELETE on "annotation" for each ROW execute function "annotation_annotation_counts_fn"();`,
    );
    this.addSql(
      `insert into annotator_count (round_id, pseudonym, source, examples, retracted, answered, fooled, pending, validated, rejected, flagged, undecided, faced, faced_pending, validated_fooling)
       select round_id, pseudonym, source,
         count(*) filter (where retracted_at is null),
         count(*) filter (where retracted_at is not null),
         count(*) filter (where retracted_at is null and answered_at is not null),
         count(*) filter (where retracted_at is null and answered_at is not null and fooled),
         count(*) filter (where retracted_at is null and answered_at is not null and outcome = 'pending'),
         count(*) filter (where retracted_at is null and answered_at is not null and outcome = 'validated'),
         count(*) filter (where retracted_at is null and answered_at is not null and outcome = 'rejected'),
         count(*) filter (where retracted_at is null and answered_at is not null and outcome = 'flagged'),
         count(*) filter (where retracted_at is null and answered_at is not null and outcome = 'undecided'),
         count(*) filter (where retracted_at is null and fooled is not null),
         count(*) filter (where retracted_at is null and fooled is not null and outcome = 'pending'),
         count(*) filter (where retracted_at is null and fooled is not null and fooled and outcome = 'validated')
       from annotation where not is_check group by round_id, pseudonym, source;`,
    );
  }
}
