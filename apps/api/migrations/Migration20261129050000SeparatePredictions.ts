import { Migration } from '@mikro-orm/migrations';

export class Migration20261129050000SeparatePredictions extends Migration {
  override name = 'Migration20261129050000SeparatePredictions';

  override up(): void | Promise<void> {
    this.addSql(`alter table "run" add "kind" text not null default 'container';`);
    this.addSql(
      `alter table "run" add constraint "run_kind_check" check ("kind" in ('container', 'onnx', 'predictions'));`,
    );
    this.addSql(
      `update "run" set "kind" = artifact.kind from run_specification as specification, artifact
        where specification.id = "run".specification_id and artifact.id = specification.artifact_id;`,
    );
    this.addSql(`alter table "evaluator_presence" add "role" text not null default 'evaluator';`);
    this.addSql(
      `alter table "evaluator_presence" add constraint "evaluator_presence_role_check" check ("role" in ('evaluator', 'worker'));`,
    );
  }
}
