import { Metrics } from '@assay/observability';
import { MikroORM } from '@mikro-orm/postgresql';
import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';

/** How the whole service stands, read from the database whenever the metrics are: the same at every API process. */
@Injectable()
export class ServiceGauges implements OnApplicationBootstrap {
  constructor(
    private readonly metrics: Metrics,
    private readonly orm: MikroORM,
  ) {}

  onApplicationBootstrap(): void {
    this.watch(
      'assay_runs',
      'Runs, by stage, state, and the code of the failure',
      ['stage', 'state', 'code'],
      `select stage, state, coalesce(failure ->> 'code', '') as code, count(*)::int as count from run group by 1, 2, 3`,
    );
    this.watch(
      'assay_evaluations',
      'Evaluations, by state and the code of the failure',
      ['state', 'code'],
      `select state, coalesce(failure ->> 'code', '') as code, count(*)::int as count from evaluation group by 1, 2`,
    );
    this.watch(
      'assay_outbox_waiting',
      'Events of the outbox that were not delivered yet, by type',
      ['type'],
      `select type, count(*)::int as count from outbox_event where delivered_at is null group by 1`,
    );
    this.watch(
      'assay_rounds',
      'Rounds of collection, by state',
      ['state'],
      `select state, count(*)::int as count from round group by 1`,
    );
    this.watch(
      'assay_annotations',
      'Annotations, by outcome; checks and retracted ones among them',
      ['outcome'],
      `select outcome, count(*)::int as count from annotation group by 1`,
    );
    this.watch(
      'assay_validations_waiting',
      'Annotations that were handed to a validator who has not answered yet',
      [],
      `select count(*)::int as count from validation where answered_at is null`,
    );
  }

  private watch(name: `assay_${string}`, help: string, labels: readonly string[], sql: string): void {
    this.metrics.watch(name, help, labels, async (gauge) => {
      gauge.reset();
      // while the database is away the other metrics are still to be had
      const rows = await this.orm.em
        .fork()
        .execute<Readonly<Record<string, string | number>>[]>(sql)
        .catch(() => []);
      for (const { count, ...values } of rows) gauge.set(values, Number(count));
    });
  }
}
