import { type AnswerRules, parseAnswer, type Answer } from '@assay/contracts';
import { failure, type Failure, type FailureCode } from '@assay/contracts/models';
import { type TaskOutput } from '@assay/contracts/tasks';
import type { ModelFault, Sandbox } from '@assay/sandbox';
import { DEEPEST, parseBody, type ParsedBody } from './json-body.js';

/** A prediction that violates the container contract, with the reason. */
export interface BadAnswer {
  readonly code: FailureCode;
  readonly why: string;
}

export type AskOutcome =
  | { readonly kind: 'answers'; readonly answers: readonly (Answer | BadAnswer)[]; readonly milliseconds: number }
  /** The body as a whole violates the contract. `failure` never quotes the model's output. */
  | { readonly kind: 'refused'; readonly failure: Failure }
  | { readonly kind: 'fault'; readonly fault: ModelFault };

export const isBad = (answer: Answer | BadAnswer): answer is BadAnswer => 'code' in answer;

const FIXED_BYTES = 65_536;
const BYTES_OF_TEXT = 65_536;
const BYTES_OF_LABEL = 256;

/**
 * Speaks the protocol `invocations` with a running model: sends instances and validates the
 * answers.
 */
export class ModelSession {
  private readonly bytesOfAnswer: number;

  constructor(
    private readonly sandbox: Sandbox,
    private readonly output: TaskOutput,
    private readonly rules: AnswerRules = {},
  ) {
    this.bytesOfAnswer = bytesOfAnswer(output);
  }

  /**
   * Requests predictions for instances (each as JSON) in one request.
   * @param deadline milliseconds until the complete response must have arrived
   * @throws SandboxUnavailable
   */
  async ask(instances: readonly string[], deadline: number): Promise<AskOutcome> {
    const outcome = await this.sandbox.invoke(Buffer.from(`{"instances":[${instances.join(',')}]}`), {
      deadline,
      responseBytes: FIXED_BYTES + instances.length * this.bytesOfAnswer,
    });
    if (outcome.kind !== 'answer') return { kind: 'fault', fault: outcome };

    const body = await parseBody(outcome.body);
    if (body.kind !== 'predictions') return { kind: 'refused', failure: unreadable(body.kind, instances.length) };
    if (body.predictions.length !== instances.length) {
      const text = `The model returned ${body.predictions.length} predictions for a batch of ${instances.length} instances.`;
      return { kind: 'refused', failure: failure('wrong_length', text) };
    }
    return {
      kind: 'answers',
      answers: body.predictions.map((prediction) => this.read(prediction)),
      milliseconds: outcome.milliseconds,
    };
  }

  private read(prediction: unknown): Answer | BadAnswer {
    const outcome = parseAnswer(this.output, prediction, this.rules);
    return outcome.ok ? outcome.answer : { code: outcome.code, why: outcome.why };
  }
}

/**
 * Returns the maximum size of one answer in bytes: texts are limited, and a label may come with a
 * probability for every label.
 */
function bytesOfAnswer(output: TaskOutput): number {
  if (!('labels' in output)) return BYTES_OF_TEXT;
  // a character escaped as \uXXXX takes six bytes
  return output.labels.reduce((sum, label) => sum + 6 * label.length + BYTES_OF_LABEL, 4 * BYTES_OF_LABEL);
}

function unreadable(kind: Exclude<ParsedBody['kind'], 'predictions'>, instances: number): Failure {
  const answer = `The answer to a batch of ${instances} instances`;
  switch (kind) {
    case 'not-json':
      return failure('invalid_json', `${answer} is not valid JSON.`);
    case 'too-deep':
      return failure('invalid_response', `${answer} is nested too deeply (limit: ${DEEPEST} levels).`);
    case 'repeated-key':
      return failure('invalid_response', `${answer} has an object with a repeated key.`);
    case 'no-predictions':
      return failure('invalid_response', `${answer} has no list "predictions".`);
  }
}
