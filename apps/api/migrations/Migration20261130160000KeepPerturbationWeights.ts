import { Migration } from '@mikro-orm/migrations';

/**
 * Writes the earlier default weights into the definitions that have none and configure
 * perturbations, because new tasks weigh `fairness_mean` and `robustness_mean` by default. Boards of
 * existing tasks do not change.
 */
export class Migration20261130160000KeepPerturbationWeights extends Migration {
  override name = 'Migration20261130160000KeepPerturbationWeights';

  override up(): void | Promise<void> {
    for (const table of ['task', 'benchmark_version']) {
      this.addSql(
        `update "${table}" set "definition" = jsonb_set("definition", '{weights}',
           jsonb_build_object("definition" ->> 'performance', 4, 'cpu_time', 1, 'memory', 1)
             || case when "definition" #> '{perturbations,fairness}' is null then '{}' else '{"fairness": 1}'::jsonb end
             || case when "definition" #> '{perturbations,robustness}' is null then '{}' else '{"robustness": 1}'::jsonb end)
         where "definition" -> 'weights' is null
           and ("definition" #> '{perturbations,fairness}' is not null
             or "definition" #> '{perturbations,robustness}' is not null);`,
      );
    }
  }
}
