import { Component, computed, inject, input } from '@angular/core';
import { leaderboardLoopResource, modelsGetResource } from '@assay/api-client/angular';
import { CompareToggle } from '../compare/compare-toggle.js';
import { Session } from '../session/session.js';
import { TaskContext } from '../task/task-context.js';
import { DisclosureNote, Loaded, Markdown } from '../ui/index.js';
import { Term } from '../ui/terms/term.js';
import { type CloserView, DatasetCloser } from './dataset-closer.js';
import { EvaluationProgress } from './evaluation-progress.js';
import { ModelActions } from './model-actions.js';
import { ModelCosts } from './model-costs.js';
import type { Outcome } from './model-errors.js';
import { isFinal, type Perturbation } from './model-events.js';
import { ModelFacts } from './model-facts.js';
import { ModelFailure } from './model-failure.js';
import { ModelHistory } from './model-history.js';
import { ModelLog } from './model-log.js';
import { ModelPerturbations } from './model-perturbations.js';
import { ModelResults } from './model-results.js';
import { ModelSupplements } from './model-supplements.js';
import { ModelTalk } from './model-talk.js';
import { standingOf } from './model-standing.js';

/** The page of one model. */
@Component({
  selector: 'app-model-page',
  imports: [
    CompareToggle,
    DatasetCloser,
    DisclosureNote,
    EvaluationProgress,
    Loaded,
    Markdown,
    ModelActions,
    ModelCosts,
    ModelFacts,
    ModelFailure,
    ModelHistory,
    ModelLog,
    ModelPerturbations,
    ModelResults,
    ModelSupplements,
    ModelTalk,
    Term,
  ],
  templateUrl: './model-page.html',
  styleUrl: './model-page.scss',
})
export class ModelPage {
  /** This and the following inputs are bound from the route and the query string. */
  readonly id = input.required<string>();
  readonly dataset = input<string>();
  readonly perturbation = input<Perturbation>();
  readonly view = input<CloserView>();
  readonly outcome = input<Outcome>();
  readonly slice = input<string>();
  readonly label = input<string>();
  readonly answer = input<string>();

  private readonly session = inject(Session);
  protected readonly context = inject(TaskContext);
  protected readonly model = modelsGetResource(() => ({ path: { id: this.id() } }));
  private readonly loop = leaderboardLoopResource(this.context.path);

  protected readonly task = this.context.loaded;
  protected readonly performance = computed(() => this.task()?.performance ?? 'accuracy');
  private readonly shown = computed(() => (this.model.hasValue() ? this.model.value() : undefined));
  protected readonly standing = computed(() => {
    const model = this.shown();
    return model && standingOf(model);
  });
  protected readonly isUnderWay = computed(() => {
    const state = this.shown()?.state;
    return state !== undefined && !isFinal(state) && state !== 'awaiting-artifact';
  });
  protected readonly isOwner = computed(() => {
    const user = this.session.user();
    return !!user && (user.role === 'administrator' || user.username === this.shown()?.owner);
  });
  /**
   * The model's entry in the loop, with the reason for its selection; undefined if it is not in the
   * loop.
   */
  protected readonly inLoop = computed(() =>
    this.loop.hasValue() ? this.loop.value().models.find(({ model }) => model.id === this.id()) : undefined,
  );
  protected readonly isScored = computed(
    () => this.shown()?.evaluations.some(({ state }) => state === 'scored') ?? false,
  );
  protected readonly hasSupplements = computed(() => {
    const { awaits = [], supplements = [] } = this.shown() ?? {};
    return awaits.length + supplements.length > 0;
  });
  protected readonly hasPerturbations = computed(
    () => this.shown()?.evaluations.some(({ perturbed }) => perturbed !== undefined) ?? false,
  );
  protected readonly hasCosts = computed(
    () => this.shown()?.evaluations.some(({ measures }) => measures.hardware !== undefined) ?? false,
  );
}
