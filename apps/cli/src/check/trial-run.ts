import { randomUUID } from 'node:crypto';
import { type AnswerRules, parseAnswer } from '@assay/contracts';
import { failure, type Failure } from '@assay/contracts/models';
import { type TaskOutput } from '@assay/contracts/tasks';
import { formatBytes } from '@assay/contracts/text';
import type { ModelFault, Sandbox } from '@assay/sandbox';
import { type DockerEngine, DockerSandboxDriver } from '@assay/sandbox/docker';
import { withCleanUp } from '../interruption.js';
import type { Output } from '../output.js';
import { checkRefusal, refused } from './check-refusal.js';
import type { CheckTerms } from './check-terms.js';
import { localEngine } from './local-engine.js';
import type { RunnableImage } from './runnable-image.js';

export interface TrialResult {
  /** Milliseconds from the start until the model was ready. */
  readonly coldStart: number;
  /**
   * Milliseconds for all examples, in batches; `single` has one figure per example sent alone.
   */
  readonly batch: number;
  readonly single: readonly number[];
  /** Peak memory in bytes; null if this host does not report it. */
  readonly memory: number | null;
  readonly predictions: readonly unknown[];
}

const BYTES_OF_ANSWER = 65_536;
const SINGLES = 3;
/** The largest batch: examples, and UTF-16 units of their JSON. The service sends batches of the same size. */
const BATCH_EXAMPLES = 64;
const BATCH_TEXT = 8_000_000;

/**
 * Starts the model in the same sandbox as the server, on the engine of this machine, and requests
 * predictions for the examples. Removes the container and the image afterwards.
 *
 * @throws CommandFailure if the server would refuse the model
 * @throws SandboxUnavailable if the engine cannot be used
 */
export async function trialRun(
  image: RunnableImage,
  terms: CheckTerms,
  instances: readonly object[],
  options: { readonly command?: readonly string[]; readonly output: Output },
): Promise<TrialResult> {
  const engine = await localEngine();
  const runtime = await runtimeHere(engine, terms, options.output);
  const driver = new DockerSandboxDriver({
    instance: `check-${randomUUID()}`,
    engine,
    log: (text) => options.output.tell(text),
  });
  const cleanUp = async (): Promise<void> => {
    await driver.close();
    await driver.uninstall(image.digest).catch(() => undefined);
  };
  return withCleanUp(cleanUp, async () => {
    await driver.install(image);
    const { memory, cpus, pids, startSeconds } = terms.limits;
    const started = await driver.start(
      {
        image: image.digest,
        ...(options.command && { command: options.command }),
        environment: {},
        port: image.port,
        limits: { memory, cpus, pids, startSeconds },
        runtime,
        data: 'readable',
        labels: { run: randomUUID(), attempt: 1 },
      },
      new AbortController().signal,
    );
    if (started.kind !== 'ready') throw checkRefusal(faultFailure(started, 'During startup,'), started.log);
    return questioned(started.sandbox, started.coldStartMilliseconds, terms, instances);
  });
}

/** Returns the runtime of the task, or `runc` with a message if the engine does not have it. */
async function runtimeHere(
  engine: DockerEngine,
  { runtime }: CheckTerms,
  output: Output,
): Promise<CheckTerms['runtime']> {
  const { Runtimes = {} } = await engine.info();
  if (runtime === 'runc' || runtime in Runtimes) return runtime;
  output.tell(
    `The service runs models of this task under ${runtime}, which this engine does not have. The check uses runc.`,
  );
  return 'runc';
}

async function questioned(
  sandbox: Sandbox,
  coldStart: number,
  terms: CheckTerms,
  instances: readonly object[],
): Promise<TrialResult> {
  try {
    const batch = await askInBatches(sandbox, terms, instances);
    const single: number[] = [];
    for (const [index, instance] of instances.slice(0, SINGLES).entries()) {
      const alone = await ask(sandbox, terms, [instance], index);
      single.push(alone.milliseconds);
      expectTheSame(terms.output, batch.predictions[index], alone.predictions[0], index);
    }
    const { peak } = await sandbox.memory();
    return { coldStart, batch: batch.milliseconds, single, memory: peak, predictions: batch.predictions };
  } finally {
    await sandbox.stop();
  }
}

interface Asked {
  readonly predictions: readonly unknown[];
  readonly milliseconds: number;
}

async function askInBatches(sandbox: Sandbox, terms: CheckTerms, instances: readonly object[]): Promise<Asked> {
  const predictions: unknown[] = [];
  let milliseconds = 0;
  for (let start = 0; start < instances.length;) {
    const batch = batchFrom(instances, start);
    const asked = await ask(sandbox, terms, batch, start);
    predictions.push(...asked.predictions);
    milliseconds += asked.milliseconds;
    start += batch.length;
  }
  return { predictions, milliseconds };
}

/** Returns the batch that begins with the instance at `start`. */
function batchFrom(instances: readonly object[], start: number): readonly object[] {
  let end = start;
  let text = 0;
  while (end < instances.length && end - start < BATCH_EXAMPLES && text < BATCH_TEXT) {
    text += JSON.stringify(instances[end++]).length;
  }
  return instances.slice(start, end);
}

/** @param start the position of the first instance among all examples */
async function ask(
  sandbox: Sandbox,
  { limits, output, definition }: CheckTerms,
  instances: readonly object[],
  start: number,
): Promise<Asked> {
  const outcome = await sandbox.invoke(Buffer.from(JSON.stringify({ instances })), {
    deadline: limits.requestSeconds * 1000,
    responseBytes: BYTES_OF_ANSWER * (instances.length + 1),
  });
  const log = () => sandbox.log(8192);
  if (outcome.kind !== 'answer') {
    throw checkRefusal(faultFailure(outcome, `When asked for ${instances.length} examples,`), await log());
  }
  const predictions = predictionsOf(outcome.body, instances.length);
  if (output) {
    const rules = definition ?? {};
    for (const [index, prediction] of predictions.entries()) judge(output, rules, prediction, start + index);
  }
  return { predictions, milliseconds: outcome.milliseconds };
}

function predictionsOf(body: Buffer, wanted: number): readonly unknown[] {
  let answer: { predictions?: unknown } | null;
  try {
    answer = JSON.parse(body.toString('utf8')) as typeof answer;
  } catch (error) {
    const start = body.toString('utf8', 0, 200);
    throw refused('invalid_json', `The answer is not valid JSON: ${(error as Error).message}. It begins: ${start}`);
  }
  const predictions = answer?.predictions;
  if (!Array.isArray(predictions)) {
    throw refused('invalid_response', `The answer has no list "predictions": ${JSON.stringify(answer).slice(0, 200)}`);
  }
  if (predictions.length !== wanted) {
    throw refused('wrong_length', `The model returned ${predictions.length} predictions for ${wanted} instances.`);
  }
  return predictions;
}

function judge(output: TaskOutput, rules: AnswerRules, prediction: unknown, index: number): void {
  const outcome = parseAnswer(output, prediction, rules);
  if (!outcome.ok) throw checkRefusal(failure(outcome.code, `Prediction ${index} ${outcome.why}.`));
}

/** Checks that an answer does not depend on the other examples in the batch. */
function expectTheSame(output: TaskOutput | null, together: unknown, alone: unknown, index: number): void {
  if (!output) return;
  const [first, second] = [together, alone].map((prediction) => parseAnswer(output, prediction));
  if (!first?.ok || !second?.ok || first.answer.text === second.answer.text) return;
  throw refused(
    'inconsistent',
    `Example ${index} was answered "${first.answer.text}" in a batch and "${second.answer.text}" in a single request.`,
  );
}

/**
 * Describes for the builder how a model ended or failed to answer. `when` begins the sentence, such
 * as "During startup,".
 */
function faultFailure(fault: ModelFault, when: string): Failure {
  switch (fault.kind) {
    case 'exited':
      return failure('model_exited', `${when} it exited with code ${fault.code}${signalText(fault.signal)}.`);
    case 'exceeded':
      return exceeded(fault, when);
    case 'never-ready':
      return failure('never_ready', `It was not ready within ${fault.seconds} s${fault.why && `: ${fault.why}`}.`);
    case 'status':
      return failure(
        'http_status',
        `${when} it answered POST /invocations with the status ${fault.status}: ${fault.body.trim().slice(0, 500)}`,
      );
    case 'redirected':
      return failure('redirected', `${when} it answered POST /invocations with the redirect ${fault.status}.`);
    case 'encoded':
      return failure('response_encoded', `${when} it answered with the content-encoding "${fault.encoding}".`);
    case 'disconnected':
      return failure('connection_lost', `${when} the connection was lost: ${fault.why}.`);
  }
}

function exceeded({ limit, amount }: Extract<ModelFault, { kind: 'exceeded' }>, when: string): Failure {
  switch (limit) {
    case 'memory':
      return failure('out_of_memory', `${when} it used up all ${formatBytes(amount)} of memory.`);
    case 'time':
      return failure('request_timeout', `${when} a request was not answered within ${amount / 1000} s.`);
    case 'output':
      return failure('response_too_large', `${when} an answer exceeded the limit of ${formatBytes(amount)}.`);
  }
}

const signalText = (signal: string | undefined): string => (signal === undefined ? '' : ` (${signal})`);
