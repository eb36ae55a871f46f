import { Migration } from '@mikro-orm/migrations';

/**
 * Writes the earlier default weights into the definitions that have none, because new tasks have
 * other default weights. Boards of existing tasks do not change.
 */
export class Migration20261129180000KeepDefaultWeights extends Migration {
  override name = 'Migration20261129180000KeepDefaultWeights';

  override up(): void | Promise<void> {
    for (const table of ['task', 'benchmark_version']) {
      this.addSql(
        `update "${table}" set "definition" = jsonb_set("definition", '{weights}',
           jsonb_build_object("definition" ->> 'performance', 4, 'throughput', 1, 'memory', 1)
             || case when "definition" #> '{perturbations,fairness}' is null then '{}' else '{"fairness": 1}'::jsonb end
             || case when "definition" #> '{perturbations,robustness}' is null then '{}' else '{"robustness": 1}'::jsonb end)
         where "definition" -> 'weights' is null;`,
      );
    }
  }
}
