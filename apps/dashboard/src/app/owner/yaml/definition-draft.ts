import { computed, debounced, Injectable, linkedSignal, resource, signal } from '@angular/core';
import { taskchecksSchemaResource } from '../../../client/@angular/common.gen.js';
import { taskchecksCheck } from '../../../client/sdk.gen.js';
import type { TaskCheck } from '../../../client/types.gen.js';
import { type DefinitionData, type DefinitionPath, readText, type TextProblem, withValue } from './definition-text.js';
import { helpAt, type JsonSchema } from './schema-help.js';

/** Milliseconds without a key before the service is asked about a text. */
const PAUSE = 350;

/**
 * A definition that somebody is writing. Its text is the truth: the form reads from it and writes into it, so that form and editor can't
 * say different things.
 */
@Injectable()
export class DefinitionDraft {
  readonly text = signal('');
  /** The task whose definition it is to replace; undefined: it is of a new one. */
  readonly task = signal<string | undefined>(undefined);

  private readonly read = computed(() => readText(this.text()));
  private readonly settled = debounced(this.text, PAUSE);
  private readonly checked = resource({
    params: () => {
      const text = this.settled.hasValue() ? this.settled.value() : '';
      return text.trim() === '' || readText(text).problems.length > 0 ? undefined : { text, task: this.task() };
    },
    loader: async ({ params: { text, task } }) => ({ text, ...(await check(text, task)) }),
  });
  private readonly schemas = taskchecksSchemaResource(() => ({}));

  /** The last that could be read: while a text is broken the form keeps what it said before. */
  readonly definition = linkedSignal<DefinitionData | undefined, DefinitionData>({
    source: () => this.read().definition,
    computation: (definition, previous) => definition ?? previous?.value ?? {},
  }).asReadonly();
  readonly isReadable = computed(() => this.read().definition !== undefined);
  readonly schema = computed(() => (this.schemas.hasValue() ? (this.schemas.value() as JsonSchema) : undefined));
  readonly problems = computed<readonly TextProblem[]>(() => {
    const { problems } = this.read();
    if (problems.length > 0) return problems;
    return this.checked.hasValue() ? this.checked.value().problems : [];
  });
  /** Whether the service has seen the text as it stands. */
  readonly isChecked = computed(() => this.checked.hasValue() && this.checked.value().text === this.text());
  readonly isValid = computed(() => this.isReadable() && this.isChecked() && this.problems().length === 0);
  readonly error = computed(() => this.checked.error());

  /** Writes a value of the form into the text; undefined removes what is there. */
  edit(path: DefinitionPath, value: unknown): void {
    this.text.update((text) => withValue(text, path, value));
  }

  /** What a key is for, in the words of the schema. */
  help(...path: readonly string[]): string {
    const schema = this.schema();
    return (schema && helpAt(schema, path)) ?? '';
  }
}

async function check(text: string, task: string | undefined): Promise<TaskCheck> {
  const { data } = await taskchecksCheck({
    ...yamlBody(text),
    ...(task !== undefined && { query: { task } }),
    throwOnError: true,
  });
  return data;
}

/** A text as the body of a request, as it is; the client's types know of JSON alone. */
export const yamlBody = (text: string) => ({
  body: text as never,
  bodySerializer: null,
  headers: { 'Content-Type': 'application/yaml' },
});
