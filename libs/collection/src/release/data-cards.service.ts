import type { DataCard } from '@assay/contracts/datasets';
import type { Principal } from '@assay/identity';
import { DomainError } from '@assay/kernel';
import { ownsTask, Round, type Task } from '@assay/tasks';
import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { collectionOf, neededConsent } from '../people/eligibility.js';
import { RoundCostsService } from '../planning/round-costs.service.js';
import { RoundModel } from '../rounds/round-model.js';
import {
  AnnotationStatisticsRepository,
  type ConditionFigures,
  type Rates,
  type RoundTotals,
} from '../statistics/annotation-statistics.repository.js';
import { CountVersionRepository } from '../statistics/count-version.repository.js';
import { SlowAnswers } from '../statistics/slow-answers.js';
import { type RoundAgreement, roundAgreement } from '../validating/round-agreement.js';
import { ValidationRepository } from '../validating/validation.repository.js';

const CACHED_ROUNDS = 200;

/** The counts of a round's examples and validations on its data card. */
interface CardCounts {
  readonly all: RoundTotals;
  readonly outcomes: Record<string, number>;
  readonly splits: DataCard['splits'];
  readonly conditions: readonly ConditionFigures[];
  readonly targets: ReadonlyMap<string, Pick<Rates, 'mer_part' | 'mer_of'>>;
  readonly validated: Awaited<ReturnType<ValidationRepository['totals']>>;
  readonly agreement: RoundAgreement | null;
}

/** Makes the data card of a closed round. */
@Injectable()
export class DataCards {
  private readonly counted = new SlowAnswers<CardCounts>(CACHED_ROUNDS, () => 1, 0);

  constructor(
    private readonly em: EntityManager,
    private readonly costs: RoundCostsService,
  ) {}

  /**
   * Returns the data card. Only that of the owner of the task contains the pay of crowd workers.
   * @param address the URL of the round, for citations
   * @throws DomainError `round_not_closed`, `not_collected` if the round was imported as a file
   */
  async of(principal: Principal | null, task: Task, round: Round, address: string): Promise<DataCard> {
    if (round.imported) {
      throw new DomainError(
        'not-found',
        'not_collected',
        `Round ${round.number} was imported as a file and has no data card. See the Croissant files of its datasets.`,
      );
    }
    if (round.state !== 'closed') {
      throw new DomainError(
        'conflict',
        'round_not_closed',
        `Round ${round.number} is not closed yet. Its data card is published with its data.`,
      );
    }
    const counts = await this.counts(task, round);
    const { all, outcomes, splits } = counts;
    const { definition } = task;
    const card = {
      task: {
        slug: task.slug,
        name: definition.name,
        description: definition.description,
        language: definition.language,
      },
      round: {
        number: round.number,
        description: round.description,
        openedAt: round.openedAt?.toISOString() ?? null,
        closedAt: round.closedAt?.toISOString() ?? null,
        closedBy: round.closedBy ?? null,
      },
      examples: {
        submitted: all.submitted,
        retracted: all.retracted,
        fooled: all.fooled,
        attested: all.attested,
        outcomes,
        decidedByOwner: all.by_owner,
        removed: all.removed,
      },
      contexts: all.contexts,
      splits,
      mer: merOf(all),
      ...validatedRatesOf(all),
      ...peopleOf(counts),
      conditions: conditionsOf(round, counts.conditions),
      models: await this.models(round, counts.targets),
      ...(await this.agreements(task, round)),
      citation: citation(task, round, address),
    };
    const { items: pay } = ownsTask(principal, task) ? await this.costs.ofRound(task, round) : { items: [] };
    return { ...card, limits: knownLimits(card), ...(pay.length > 0 && { pay }) };
  }

  /** Counts the examples and validations of a round, unless the same were counted before. */
  private counts(task: Task, { id }: Round): Promise<CardCounts> {
    const version = async (): Promise<string> => {
      const versions = new CountVersionRepository(this.em.fork());
      return `${await versions.examples([id])} ${await versions.agreement(task, id)}`;
    };
    return this.counted.get(id, version, async () => {
      const em = this.em.fork();
      const figures = new AnnotationStatisticsRepository(em);
      return {
        all: await figures.totals(id),
        outcomes: await figures.outcomes(id),
        splits: await figures.splits(id),
        conditions: await figures.conditions(id),
        targets: await figures.targets(id),
        validated: await new ValidationRepository(em).totals(id),
        agreement: await roundAgreement(em, await em.findOneOrFail(Round, id, { populate: ['task'] })),
      };
    });
  }

  private async models(round: Round, rates: CardCounts['targets']): Promise<DataCard['models']> {
    const members = await this.em.find(RoundModel, { round }, { populate: ['model'], orderBy: { since: 'asc' } });
    return members.map(({ model, reason, since, until, left }) => ({
      id: model.id,
      name: model.name,
      reason,
      since: since.toISOString(),
      until: until?.toISOString() ?? null,
      left: left ?? null,
      mer: merOf(rates.get(model.id) ?? NO_RATES),
    }));
  }

  private async agreements(task: Task, round: Round): Promise<Pick<DataCard, 'consent' | 'licence'>> {
    const { consent, licence, contentWarning } = collectionOf(task);
    const figures = new AnnotationStatisticsRepository(this.em);
    return {
      consent: {
        version: consent?.version ?? null,
        text: consent?.text ?? null,
        agreed: await figures.agreedVersions(round.task.id, round.id, 'consent'),
        contentWarning: contentWarning ?? null,
        minimumAge: neededConsent(task).minimumAge ?? null,
      },
      licence: {
        name: licence?.name ?? null,
        version: licence?.version ?? null,
        text: licence?.text ?? null,
        agreed: await figures.agreedVersions(round.task.id, round.id, 'licence'),
      },
    };
  }
}

function peopleOf({ all, validated, agreement }: CardCounts): Pick<DataCard, 'people' | 'agreement'> {
  const { validators, validations, agreeing } = validated;
  const written = all.submitted - all.attested;
  return {
    people: {
      annotators: all.annotators,
      validators,
      largestShare: all.largest === null || written === 0 ? null : all.largest / written,
    },
    agreement: {
      alpha: agreement && {
        value: agreement.alpha.value,
        low: agreement.alpha.low ?? null,
        high: agreement.alpha.high ?? null,
        of: agreement.of,
      },
      validations,
      agreeing: validations === 0 ? null : agreeing / validations,
    },
  };
}

function conditionsOf(round: Round, counted: CardCounts['conditions']): DataCard['conditions'] {
  const figures = new Map(counted.map((each) => [each.condition, each]));
  const none = { examples: 0, annotators: 0, ...NO_RATES };
  return (round.settings?.conditions ?? []).map(({ name, prompt, model }) => {
    const found = figures.get(name) ?? none;
    const { examples, annotators } = found;
    return { name, prompt, model, examples, annotators, mer: merOf(found), ...validatedRatesOf(found) };
  });
}

const NO_RATES: Rates = { mer_part: 0, mer_of: 0, checked_part: 0, checked_of: 0, pending: 0 };

const rate = (part: number, of: number): DataCard['mer'] => ({ value: of === 0 ? null : part / of, of });
const merOf = ({ mer_part, mer_of }: Pick<Rates, 'mer_part' | 'mer_of'>): DataCard['mer'] => rate(mer_part, mer_of);
const validatedRatesOf = ({
  mer_of,
  checked_part,
  checked_of,
  pending,
}: Rates): Pick<DataCard, 'vmer' | 'errorRateAmongValidated'> => ({
  vmer: { ...rate(checked_part, mer_of), pending },
  errorRateAmongValidated: rate(checked_part, checked_of),
});

/** Returns a BibTeX entry. Characters that could end a field early are replaced by spaces. */
function citation(task: Task, round: Round, address: string): string {
  const plain = (text: string) => text.replace(/[{}\\\r\n]/g, ' ').trim();
  const year = (round.closedAt ?? round.createdAt).getUTCFullYear();
  return [
    `@misc{${task.slug}-round-${round.number},`,
    `  title = {${plain(task.definition.name)}, round ${round.number}},`,
    `  author = {${plain(task.owner.username)}},`,
    `  year = {${year}},`,
    `  howpublished = {Collected with Assay},`,
    `  url = {${address}},`,
    '}',
  ].join('\n');
}

const FEW_VALIDATIONS = 2;
const MUCH_OF_ONE = 0.2;
const FEW_ANNOTATORS = 10;

const percent = (share: number): string => `${(100 * share).toFixed(0)}%`;

/**
 * Returns the limitations that users of the data should keep in mind, as far as the figures show
 * them.
 */
function knownLimits(card: Omit<DataCard, 'limits'>): string[] {
  const { examples, people, agreement, licence, consent, models, conditions } = card;
  const pending = (examples.outcomes['pending'] ?? 0) + (examples.outcomes['undecided'] ?? 0);
  return [
    'Examples were written to fool the models in the loop. ' +
      'They are harder for these and similar models than for others, ' +
      'and are not a sample of what people write elsewhere.',
    ...(models.length === 1 ? ['Only one model was in the loop. Its weaknesses shape the whole round.'] : []),
    ...(people.annotators > 0 && people.annotators < FEW_ANNOTATORS
      ? [`Only ${people.annotators} people wrote examples. Their style is in every split.`]
      : []),
    ...(people.largestShare !== null && people.largestShare > MUCH_OF_ONE && people.annotators > 1
      ? [`One person wrote ${percent(people.largestShare)} of the examples.`]
      : []),
    ...(examples.attested > 0
      ? [`${examples.attested} of ${examples.submitted} examples were imported. The owner of the task attests to them.`]
      : []),
    ...(pending > 0 ? [`${pending} examples had no consensus of validators and are in no split.`] : []),
    ...(examples.decidedByOwner > 0 ? [`${examples.decidedByOwner} examples were decided by the owner alone.`] : []),
    ...(agreement.validations < FEW_VALIDATIONS * examples.submitted
      ? ['There are fewer than two validations per example.']
      : []),
    ...(conditions.length > 1
      ? ['Conditions differ in what annotators saw. Compare only examples of the same condition.']
      : []),
    ...(examples.removed > 0
      ? [
          `The texts of ${examples.removed} examples were removed at the request of their authors. ` +
            'Earlier copies still contain them.',
        ]
      : []),
    ...(consent.version === null ? ['The task did not ask annotators for consent.'] : []),
    ...(licence.name === null ? ['The task names no licence. Ask its owner before you publish derived work.'] : []),
    ...(consent.contentWarning === null ? [] : ['Texts can be disturbing. See the content warning.']),
  ];
}
