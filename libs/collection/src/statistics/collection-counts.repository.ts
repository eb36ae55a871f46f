import { type CountedRows, Repository } from '@assay/persistence/queries';

/** Numbers of rounds, annotations and validations in the database, for operators. */
export class CollectionCountsRepository extends Repository {
  /** Counts the rounds by state. */
  rounds(): Promise<CountedRows[]> {
    return this.em.execute<CountedRows[]>('select state, count(*)::int as count from round group by 1');
  }

  /** Counts the annotations by outcome; checks and retracted ones count too. */
  annotations(): Promise<CountedRows[]> {
    return this.em.execute<CountedRows[]>('select outcome, count(*)::int as count from annotation group by 1');
  }

  /** Counts the assigned validations that have no answer yet. */
  waitingValidations(): Promise<CountedRows[]> {
    return this.em.execute<CountedRows[]>('select count(*)::int as count from validation where answered_at is null');
  }
}
