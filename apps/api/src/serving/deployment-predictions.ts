import { type LiveAnswer } from '@assay/contracts/collection';
import { type DeploymentProgress, type DeploymentReply } from '@assay/contracts/serving';
import { DomainError } from '@assay/kernel';
import { Metrics, traced } from '@assay/observability';
import {
  answerScore,
  type ConnectedEvaluator,
  type Inspection,
  type KnownDeployment,
  LivePredictions,
  occlude,
  DeploymentDirectory,
  type TokenWeight,
} from '@assay/serving';
import type { Model } from '@assay/submissions';
import type { Task } from '@assay/tasks';
import { Injectable, Optional } from '@nestjs/common';
import { DeploymentClient } from './deployment-client.js';
import { DeploymentGone } from './evaluator-connections.js';

type Input = Readonly<Record<string, unknown>>;
type Question = 'predict' | 'explain';

/** The reply of a deployment, and the deployment. */
interface Replied<R = DeploymentReply> {
  readonly by: KnownDeployment;
  readonly reply: R;
}

type Answers = DeploymentReply & { kind: 'answers' };

/** The maximum number of inputs in one request. */
const BATCH = 64;
/**
 * The time in addition to the model's own: for requests that wait while something is measured, and
 * for the transfer.
 */
const SLACK_MILLISECONDS = 65_000;

/** Obtains answers of models in the loop from the evaluators that serve them. */
@Injectable()
export class DeploymentPredictions extends LivePredictions {
  private readonly seconds: ReturnType<Metrics['seconds']> | undefined;

  constructor(
    private readonly directory: DeploymentDirectory,
    private readonly client: DeploymentClient,
    @Optional() metrics?: Metrics,
  ) {
    super();
    this.seconds = metrics?.seconds('assay_live_prediction_duration_seconds', 'Time to ask a model in the loop', [
      'question',
      'outcome',
    ]);
  }

  async predict(task: Task, model: Model, inputs: readonly Input[]): Promise<LiveAnswer[]> {
    const answers: LiveAnswer[] = [];
    for (let first = 0; first < inputs.length; first += BATCH) {
      const batch = inputs.slice(first, first + BATCH);
      answers.push(...liveAnswers(model, batch.length, await this.answered(task, model, batch)));
    }
    return answers;
  }

  async inspect(task: Task, model: Model, input: Input, label?: string): Promise<Inspection> {
    const { output, inputs } = task.definition;
    const [answered] = await this.predict(task, model, [input]);
    const target = label ?? answered!.answer;
    const fields = inputs.filter(({ type }) => type === 'text').map(({ name }) => name);
    // a model explains only its own answer
    const own = target === answered!.answer ? await this.explained(task, model, input, fields) : null;
    if (own) return { method: 'model', fields: own };

    const score = answerScore(output, target, task.definition);
    const weights = await occlude({
      input,
      fields,
      score: async (variants) => (await this.predict(task, model, variants)).map(score),
    });
    return { method: 'occlusion', fields: weights };
  }

  private async answered(task: Task, model: Model, inputs: readonly Input[]): Promise<Replied<Answers>> {
    const { by, reply } = await this.ask(task, model, 'predict', inputs);
    if (reply.kind === 'answers' && reply.answers.length === inputs.length) return { by, reply };
    throw failed(
      reply.kind === 'failed' ? reply.failure.message : 'Its response does not have one answer for each input.',
    );
  }

  private async explained(
    task: Task,
    model: Model,
    input: Input,
    fields: readonly string[],
  ): Promise<Readonly<Record<string, readonly TokenWeight[]>> | null> {
    const { reply } = await this.ask(task, model, 'explain', [input]);
    if (reply.kind === 'unexplained') return null;
    const [explanation] = reply.kind === 'explanations' ? reply.explanations : [];
    if (!explanation) throw failed(reply.kind === 'failed' ? reply.failure.message : 'It returned no explanation.');
    return Object.fromEntries(fields.map((field) => [field, within(explanation[field] ?? [], input[field])]));
  }

  private async ask(task: Task, model: Model, ask: Question, inputs: readonly Input[]): Promise<Replied> {
    const started = performance.now();
    const ended = (outcome: string): void =>
      this.seconds?.observe({ question: ask, outcome }, (performance.now() - started) / 1000);
    try {
      const replied = await traced(`model ${ask}`, { 'assay.model': model.id }, () =>
        this.askInTurn(task, model, ask, inputs),
      );
      ended(replied.reply.kind === 'failed' ? 'failed' : 'answered');
      return replied;
    } catch (error) {
      ended('unavailable');
      throw error;
    }
  }

  /**
   * Asks one deployment after the other until one replies.
   * @throws DomainError `model_starting`, `model_unavailable`
   */
  private async askInTurn(task: Task, model: Model, ask: Question, inputs: readonly Input[]): Promise<Replied> {
    const fields = task.definition.inputs.map(({ name }) => name);
    const instances = inputs.map((input) => Object.fromEntries(fields.map((field) => [field, input[field]])));
    const deadline = task.definition.limits.requestSeconds * 1000 + SLACK_MILLISECONDS;
    let busy: DeploymentProgress | null = null;
    let lost: Replied | null = null;

    for (const by of (await this.directory.of(model.id)).filter(isReady)) {
      const question = { deployment: by.id, ask, instances, deadline };
      const reply = await this.client.ask(by.evaluator, question).catch(ifGone);
      if (reply?.kind === 'busy') busy = reply.progress;
      // the model may have ended because of this request: another deployment may still answer it
      else if (reply?.kind === 'failed' && ENDED.has(reply.failure.code)) lost = { by, reply };
      else if (reply) return { by, reply };
      if (reply?.kind !== 'busy') this.directory.forget(model.id);
    }
    if (lost) return lost;
    throw busy ? starting(busy) : await this.notReady(model);
  }

  private async notReady(model: Model): Promise<DomainError> {
    const [first] = await this.directory.of(model.id);
    const progress = first?.progress;
    if (first?.state === 'wanted' || first?.state === 'starting' || first?.state === 'ready') {
      await this.directory.recordQuestion(first);
      return starting(
        progress ?? { step: 'again', since: new Date().toISOString(), message: 'The model is being restarted.' },
      );
    }
    const why = first?.failure ? ` ${first.failure.message}` : '';
    return new DomainError('unavailable', 'model_unavailable', `This model is not served.${why}`);
  }
}

/** The failures of a model that a restart may fix. */
const ENDED: ReadonlySet<string> = new Set(['model_exited', 'out_of_memory', 'connection_lost']);

type ReadyDeployment = KnownDeployment & { readonly evaluator: ConnectedEvaluator };

const isReady = (deployment: KnownDeployment): deployment is ReadyDeployment =>
  deployment.state === 'ready' && deployment.evaluator !== null;

function ifGone(error: unknown): null {
  if (error instanceof DeploymentGone) return null;
  throw error;
}

const starting = ({ step, since, message }: DeploymentProgress): DomainError =>
  new DomainError('unavailable', 'model_starting', `${message} Try again in a moment.`, [
    { path: 'step', message: step },
    { path: 'since', message: since },
  ]);

const failed = (why: string): DomainError =>
  new DomainError('unavailable', 'model_failed', `The model did not return a valid answer. ${why}`);

function liveAnswers(model: Model, count: number, { by, reply }: Replied<Answers>): LiveAnswer[] {
  const at = new Date().toISOString();
  return reply.answers.slice(0, count).map((answer) => {
    if ('code' in answer) throw failed(`Its answer ${answer.why}.`);
    const { text, probabilities } = answer;
    const { milliseconds } = reply;
    const known = { model: model.id, specification: by.specification, answer: text, milliseconds, at };
    return probabilities ? { ...known, probabilities } : known;
  });
}

/** Returns the pieces whose positions are within the text, with the words at these positions. */
function within(weights: readonly TokenWeight[], text: unknown): readonly TokenWeight[] {
  if (typeof text !== 'string') return [];
  return weights
    .filter(({ start, end }) => start < end && end <= text.length)
    .map(({ start, end, weight }) => ({ token: text.slice(start, end), start, end, weight }));
}
