import { Component, computed, debounced, inject, input, resource } from '@angular/core';
import { changepreviewPreview, type TaskChangePreview } from '@assay/api-client/angular';
import { cutText, Loaded, Numbers, valueText } from '../../ui/index.js';
import { type DefinitionData, isRecord } from '../yaml/merge-patch.js';

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
    changedKeys(this.change()).map(({ path, value }) => ({
      path,
      text: value === undefined ? $localize`its default` : cutText(valueText(value), LONGEST),
    })),
  );
  private readonly settled = debounced(() => (this.valid() ? this.change() : undefined), PAUSE);
  protected readonly preview = resource({
    params: () => {
      const change = this.settled.hasValue() ? this.settled.value() : undefined;
      return change && { slug: this.slug(), body: { ...change } };
    },
    loader: async ({ params: { slug, body } }): Promise<TaskChangePreview> =>
      (await changepreviewPreview({ path: { slug }, body })).data,
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

/**
 * Lists the values that a merge patch changes, each with its path, for example `quota.perDay`. A
 * value of undefined stands for the default.
 */
function changedKeys(patch: DefinitionData, path = ''): readonly { readonly path: string; readonly value: unknown }[] {
  return Object.entries(patch).flatMap(([key, value]) => {
    const own = path === '' ? key : `${path}.${key}`;
    if (isRecord(value)) {
      const within = changedKeys(value, own);
      return within.length > 0 ? within : [{ path: own, value }];
    }
    return [{ path: own, value: value === null ? undefined : value }];
  });
}
