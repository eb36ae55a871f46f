import { Component, computed, debounced, inject, input, resource } from '@angular/core';
import { changepreviewPreview, type TaskChangePreview } from '@assay/api-client/angular';
import { Loaded } from '../../ui/states/loaded.js';
import { Numbers } from '../../ui/text/numbers.js';
import { changedKeys } from './changed-keys.js';

const LONGEST = 80;
const PAUSE = 400;

/**
 * Previews an unsaved change of a task: the changed keys, and the effect on benchmark version,
 * ranks and loop.
 */
@Component({
  selector: 'app-change-preview',
  imports: [Loaded],
  templateUrl: './change-preview.html',
  styles: `
    :host {
      display: grid;
      gap: 12px;
    }

    ul {
      display: grid;
      gap: 4px;
      padding-inline-start: 18px;
    }
  `,
})
export class ChangePreview {
  readonly slug = input.required<string>();
  /** A JSON merge patch. */
  readonly change = input.required<Readonly<Record<string, unknown>>>();
  /** True if the definition could be saved in its current form. */
  readonly valid = input.required<boolean>();

  protected readonly numbers = inject(Numbers);
  protected readonly keys = computed(() =>
    changedKeys(this.change()).map(({ path, value }) => ({ path, text: shortText(value) })),
  );
  private readonly settled = debounced(() => (this.valid() ? this.change() : undefined), PAUSE);
  protected readonly preview = resource({
    params: () => {
      const change = this.settled.hasValue() ? this.settled.value() : undefined;
      return change && { slug: this.slug(), body: { ...change } };
    },
    loader: async ({ params: { slug, body } }): Promise<TaskChangePreview> =>
      (await changepreviewPreview({ path: { slug }, body, throwOnError: true })).data,
  });

  protected moved({ board }: TaskChangePreview): NonNullable<TaskChangePreview['board']> {
    return (board ?? []).filter(({ rank, newRank }) => rank !== newRank);
  }

  protected loopMoves({ loop }: TaskChangePreview): readonly string[] {
    return (loop?.models ?? []).flatMap(({ model, would }) => {
      if (would === 'join') return [$localize`${model.name}:model: would come into the loop.`];
      return would === 'leave' ? [$localize`${model.name}:model: would leave the loop.`] : [];
    });
  }
}

function shortText(value: unknown): string {
  if (value === undefined) return $localize`its default`;
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text;
}
