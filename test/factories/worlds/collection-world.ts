import type { AnnotationView, NextContext } from '@assay/contracts/annotating';
import type { ValidationItem, ValidationView } from '@assay/contracts/collection';
import type { RoundView } from '@assay/contracts/rounds';
import { poll } from '../../../scripts/services/processes.js';
import type { ApiAnswer, ApiRequest } from './api-call.js';
import type { ServiceWorld } from './service-world.js';

const PATIENCE = 120_000;

/** The body of an annotation, without context and key. */
export interface Example {
  readonly input: Readonly<Record<string, unknown>>;
  readonly label: unknown;
  readonly explanations?: Readonly<Record<string, string>>;
}

/** A validator's judgement of an example. */
export type Judgement =
  | { readonly kind: 'correct'; readonly label: unknown }
  | { readonly kind: 'incorrect'; readonly label: unknown }
  | { readonly kind: 'flagged'; readonly reason: string };

/**
 * Collection on a complete service: the actions of owner, annotators and validators, all over HTTP.
 */
export class CollectionWorld {
  constructor(
    readonly service: ServiceWorld,
    readonly task: string,
  ) {}

  async openRound(body: object): Promise<RoundView> {
    return (await this.owner(201, 'POST', '/rounds', { body })).body as RoundView;
  }

  async closeRound(number: number, pending: 'leave' | 'await' = 'leave'): Promise<void> {
    await this.owner(202, 'POST', `/rounds/${number}/close`, { body: { pending } });
  }

  async round(number: number): Promise<RoundView> {
    return (await this.owner(200, 'GET', `/rounds/${number}`)).body as RoundView;
  }

  /**
   * Polls the round until it satisfies `condition`.
   * @throws Error after `milliseconds`.
   */
  async roundWhen(
    number: number,
    condition: (round: RoundView) => boolean,
    milliseconds = PATIENCE,
  ): Promise<RoundView> {
    let last: RoundView | undefined;
    const round = await poll(async () => {
      const answer = await this.service.call('GET', `/tasks/${this.task}/rounds/${number}`).catch(() => undefined);
      if (answer?.status === 200) last = answer.body as RoundView;
      return last && condition(last) ? last : undefined;
    }, milliseconds);
    if (round) return round;
    throw new Error(`no such round came; the last: ${JSON.stringify(last)}\n${this.service.logs()}`);
  }

  /**
   * Uploads records to a round.
   * @param path `contexts`, `examples` or `examples?check=true`.
   */
  async put(number: number, path: string, records: readonly object[]): Promise<ApiAnswer> {
    const body = records.map((record) => JSON.stringify(record)).join('\n');
    return this.owner(200, 'PUT', `/rounds/${number}/${path}`, { type: 'application/x-ndjson', body });
  }

  /** Gives every consent that the task asks for. */
  async consent(who: string): Promise<void> {
    const token = await this.service.user(who);
    const { body } = await this.service.call('GET', `/tasks/${this.task}/consent`, { token });
    if (body.isEnough) return;
    const agreed = {
      consentVersion: body.consent?.version,
      licenceVersion: body.licence?.version,
      ...(body.minimumAge !== null && { age: true }),
      ...(body.contentWarning !== null && { warned: true }),
    };
    await this.service.expect(200, 'POST', `/tasks/${this.task}/consent`, { token, body: agreed });
  }

  /**
   * Asks for a context and submits the example that `write` makes for it. Retries while the API is
   * down: the same key always means the same example.
   * @returns Null if no context is left.
   */
  async annotate(who: string, write: (next: NextContext) => Example & { key: string }): Promise<AnnotationView | null> {
    const token = await this.service.user(who);
    const next = await this.patiently('POST', `/tasks/${this.task}/annotate/next`, { token, body: {} });
    // no context is left, or the round is closed
    if (next.status === 409) return null;
    const asked = expected(200, next) as NextContext;
    const body = { context: asked.context.id, ...write(asked) };
    const path = `/tasks/${this.task}/rounds/${asked.round}/annotations`;
    const sent = await this.patiently('POST', path, { token, body });
    // 200: the first request arrived, but its response was lost
    return expected(sent.status === 200 ? 200 : 201, sent) as AnnotationView;
  }

  /**
   * Validates one example with the judgement that `judge` returns.
   * @returns Null if there is no example for this person.
   */
  async validate(who: string, judge: (item: ValidationItem) => Judgement): Promise<ValidationView | null> {
    const token = await this.service.user(who);
    const next = await this.patiently('POST', `/tasks/${this.task}/validate/next`, { token, body: {} });
    if (next.status === 404) return null;
    const item = expected(200, next) as ValidationItem;
    const judgement = judge(item);
    const { kind, ...rest } = judgement;
    const known = item.validation ?? (await this.label(item.id, token, judgement));
    if (known.verdict !== null) return known;
    const body = kind === 'correct' ? { verdict: kind } : { verdict: kind, ...rest };
    return expected(200, await this.patiently('PATCH', `/validations/${known.id}`, { token, body })) as ValidationView;
  }

  private async label(annotation: string, token: string, judgement: Judgement): Promise<ValidationView> {
    const { kind, ...rest } = judgement;
    const body = kind === 'incorrect' ? rest : { ...rest, verdict: kind };
    const answer = await this.patiently('POST', `/annotations/${annotation}/validations`, { token, body });
    return expected(201, answer) as ValidationView;
  }

  /** Repeats a request while there is no response, or a 503. */
  private async patiently(method: string, path: string, request: ApiRequest): Promise<ApiAnswer> {
    let last: unknown;
    const answer = await poll(async () => {
      const given = await this.service.call(method, path, request).catch((error: unknown) => String(error));
      last = given;
      return typeof given !== 'string' && given.status !== 503 ? given : undefined;
    }, PATIENCE);
    if (answer) return answer;
    throw new Error(`${method} ${path}: ${JSON.stringify(last)}\n${this.service.logs()}`);
  }

  private async owner(status: number, method: string, path: string, request: ApiRequest = {}): Promise<ApiAnswer> {
    const { service, task } = this;
    return service.expect(status, method, `/tasks/${task}${path}`, { token: service.admin, ...request });
  }
}

function expected(status: number, answer: ApiAnswer): unknown {
  if (answer.status === status) return answer.body;
  throw new Error(`${answer.status} in place of ${status}: ${JSON.stringify(answer.body)}`);
}
