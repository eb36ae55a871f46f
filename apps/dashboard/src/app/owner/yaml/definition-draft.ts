import { computed, debounced, Injectable, linkedSignal, resource, signal } from '@angular/core';
import { type TaskCheck, taskchecksCheck, taskchecksSchemaResource } from '@assay/api-client/angular';
import { type DefinitionPath, readText, type TextProblem, withValue } from './definition-text.js';
import type { DefinitionData } from './merge-patch.js';
import { helpAt, type JsonSchema } from './schema-help.js';

/** Milliseconds without input before the text is sent to the service for a check. */
const PAUSE = 350;

/**
 * The draft of a definition. Its text is the single source of truth: the form reads from it and
 * writes to it, so form and editor cannot disagree.
 */
@Injectable()
export class DefinitionDraft {
  readonly text = signal('');
  /** The slug of the task whose definition the draft replaces; undefined for a new task. */
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

  /** The last readable definition. While the text is invalid, the form shows this one. */
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
  /** True if the service has checked the current text. */
  readonly isChecked = computed(() => this.checked.hasValue() && this.checked.value().text === this.text());
  readonly isValid = computed(() => this.isReadable() && this.isChecked() && this.problems().length === 0);
  readonly error = computed(() => this.checked.error());

  /** Writes a value of the form to the text. Undefined removes the key. */
  edit(path: DefinitionPath, value: unknown): void {
    this.text.update((text) => withValue(text, path, value));
  }

  /** Returns the description of a key from the schema. */
  help(...path: readonly string[]): string {
    const schema = this.schema();
    return (schema && helpAt(schema, path)) ?? '';
  }
}

async function check(text: string, task: string | undefined): Promise<TaskCheck> {
  const { data } = await taskchecksCheck({
    ...yamlBody(text),
    ...(task !== undefined && { query: { task } }),
  });
  return data;
}

/**
 * Returns the request options that send a text as YAML, unchanged. The types of the client allow
 * only JSON.
 */
export const yamlBody = (text: string) => ({
  body: text as never,
  bodySerializer: null,
  headers: { 'Content-Type': 'application/yaml' },
});
