import { statfs } from 'node:fs/promises';
import { Metrics } from '@assay/observability';
import { MikroORM } from '@mikro-orm/postgresql';
import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { Environment } from './environment.js';

/** How the whole service stands, read from the database whenever the metrics are: the same at every API process. */
@Injectable()
export class ServiceGauges implements OnApplicationBootstrap {
  constructor(
    private readonly metrics: Metrics,
    private readonly orm: MikroORM,
    private readonly environment: Environment,
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
      'assay_outbox_oldest_seconds',
      'Age of the oldest event of the outbox that was not delivered yet; 0: none waits',
      [],
      `select coalesce(extract(epoch from now() - min(created_at)), 0) as count from outbox_event where delivered_at is null`,
    );
    this.watch(
      'assay_runs_oldest_waiting_seconds',
      'Age of the oldest run that waits, by stage; 0: none waits',
      ['stage'],
      `select stage, coalesce(extract(epoch from now() - min(created_at) filter (where state = 'queued')), 0) as count
        from unnest(array['admission', 'evaluation']) as stage left join run using (stage) group by 1`,
    );
    this.watch(
      'assay_evaluators',
      'Evaluators that were seen in the last minute, by whether they can work',
      ['able'],
      `select able, count(name) filter (where (problems = '[]') = (able = 'yes'))::int as count
        from unnest(array['yes', 'no']) as able
        left join evaluator_presence on seen_at > now() - interval '1 minute' group by 1`,
    );
    this.watch(
      'assay_placements',
      'Copies of models in the loop, by state',
      ['state'],
      `select state, count(*)::int as count from placement group by 1`,
    );
    this.metrics.watch('assay_blob_store_free_bytes', 'Room left on the disk of the blobs', [], async (gauge) => {
      const { bavail, bsize } = await statfs(this.environment.home);
      gauge.set(bavail * bsize);
    });
    this.metrics.watch('assay_database_up', 'Whether the database answers', [], async (gauge) => {
      const answer = this.orm.em.fork().execute('select 1');
      gauge.set(
        await answer.then(
          () => 1,
          () => 0,
        ),
      );
    });
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
