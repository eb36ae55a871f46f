import { Migration } from '@mikro-orm/migrations';

const RATES = { cpu_time: 1, throughput: 1, latency_p50: 1, latency_p95: 1, latency_p99: 1, memory: 1 };
const REFERENCES = {
  cpu_time: 0.001,
  throughput: 300,
  latency_p50: 100,
  latency_p95: 100,
  latency_p99: 100,
  memory: 1,
};

/**
 * Gives existing tasks fixed exchange rates, with a new benchmark version for each task that has
 * one. Earlier benchmark versions and board revisions keep their exchange rates (AMRS). Weights do
 * not change.
 */
export class Migration20261130120000UseFixedRates extends Migration {
  override name = 'Migration20261130120000UseFixedRates';

  override up(): void | Promise<void> {
    this.addSql(
      `update "task" set "definition" = jsonb_set("definition", '{exchange}', '"fixed"')
       where "definition" -> 'exchange' is null;`,
    );
    const exchange = JSON.stringify({ exchange: 'fixed', exchangeRates: RATES, referenceCosts: REFERENCES });
    this.addSql(
      `with "released" as (
         insert into "benchmark_version"
           ("id", "task_id", "number", "datasets", "definition", "metric_versions", "amrs", "created_at")
         select gen_random_uuid(), "task_id", "number" + 1, "datasets", "definition" || '${exchange}'::jsonb,
           "metric_versions", null, now()
         from (
           select distinct on ("task_id") * from "benchmark_version" order by "task_id", "number" desc
         ) "current"
         where "definition" -> 'exchange' is null
         returning "task_id"
       )
       insert into "stale_board" ("task_id") select "task_id" from "released";`,
    );
  }
}
