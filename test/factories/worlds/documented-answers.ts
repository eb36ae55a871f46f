import formats from 'ajv-formats';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import type { ApiDocument, DocumentedSchema, Operation } from './api-operations.js';

export interface Answer {
  readonly status: number;
  /** The Content-Type header; empty if there is none. */
  readonly type: string;
  /** The body. For an event stream, only the first event. */
  readonly text: string;
}

/** The status codes with which the API rejects a request or reports that it is unavailable. */
const REFUSALS = [400, 401, 403, 404, 405, 406, 409, 413, 414, 415, 422, 429, 503, 507];

/** Checks responses against the OpenAPI document. */
export class DocumentedAnswers {
  private readonly schemas = new Ajv2020({ strict: false, allErrors: false });
  private readonly compiled = new Map<string, ValidateFunction>();

  constructor(private readonly document: ApiDocument) {
    (formats as unknown as typeof formats.default)(this.schemas);
  }

  /** Returns how a response differs from the documentation; null if it conforms. */
  fault(operation: Operation, answer: Answer): string | null {
    if (answer.status >= 400) {
      const isDocumented = 'default' in operation.responses && REFUSALS.includes(answer.status);
      return isDocumented ? this.problemFault(answer) : `${answer.status} is not documented`;
    }
    const documented = operation.responses[String(answer.status)];
    if (!documented) return `${answer.status} is not documented`;
    const types = documented.content ?? {};
    const plain = answer.type.split(';')[0]!.trim();
    if (Object.keys(types).length === 0) return answer.text === '' ? null : `${answer.status} says ${answer.text}`;
    const content = types[plain];
    if (!content) return `${answer.status} as "${answer.type}" in place of ${Object.keys(types).join(', ')}`;
    if (plain === 'text/event-stream') return eventFault(answer.text);
    if (!/^application\/(?:\S+\+)?json$/.test(plain)) return null;
    if (!content.schema) return `${answer.status} has no schema`;
    return this.schemaFault(`${operation.route} ${answer.status} ${plain}`, content.schema, answer);
  }

  /** Returns what is wrong with a problem response; null if it conforms. */
  problemFault(answer: Answer): string | null {
    const { status, type, text } = answer;
    if (!type.startsWith('application/problem+json')) return `${status} as "${type}": ${text}`;
    const said = (JSON.parse(text) as { status: number }).status;
    if (said !== status) return `${status} says that it is ${said}`;
    return this.schemaFault('a problem', { $ref: '#/components/schemas/Problem' }, answer);
  }

  private schemaFault(name: string, schema: DocumentedSchema, { status, text }: Answer): string | null {
    const { components } = this.document;
    const validate = this.compiled.get(name) ?? this.schemas.compile({ allOf: [schema], components });
    this.compiled.set(name, validate);
    if (validate(JSON.parse(text))) return null;
    return `${status} ${text.slice(0, 300)}: ${this.schemas.errorsText(validate.errors)}`;
  }
}

const EVENTS = ['state', 'progress', 'score'];

/** Checks that the first event has a known type and an object as data. */
function eventFault(text: string): string | null {
  const field = (name: string): string | undefined => new RegExp(`^${name}: (.*)$`, 'm').exec(text)?.[1];
  const data = field('data');
  if (!EVENTS.includes(field('event') ?? '') || data === undefined) return `no event: ${text}`;
  const value: unknown = JSON.parse(data);
  return typeof value === 'object' && value !== null ? null : `an event with ${data}`;
}

/**
 * Reads the body of a response. Of an event stream, reads only until the first event is complete.
 */
export async function textOf(response: Response): Promise<string> {
  if (!response.headers.get('content-type')?.startsWith('text/event-stream')) return response.text();
  let text = '';
  const decoder = new TextDecoder();
  for await (const part of response.body!) {
    text += decoder.decode(part as Uint8Array, { stream: true });
    if (/^event: .*$[\s\S]*?\n\n/m.test(text)) break;
  }
  return text;
}
