import { Component, computed, debounced, input, output, signal } from '@angular/core';
import {
  MatAutocomplete,
  type MatAutocompleteSelectedEvent,
  MatAutocompleteTrigger,
} from '@angular/material/autocomplete';
import { MatOption } from '@angular/material/core';
import { modelsListResource, searchFindResource } from '@assay/api-client/angular';

interface Choice {
  readonly id: string;
  readonly name: string;
  readonly owner: string;
}

const PAUSE_MILLISECONDS = 150;
const SHOWN = 8;

/** Finds a model of a task by part of its name. */
@Component({
  selector: 'app-model-picker',
  imports: [MatAutocomplete, MatAutocompleteTrigger, MatOption],
  template: `
    <input
      #box
      type="text"
      [value]="query()"
      (input)="query.set(box.value)"
      [matAutocomplete]="choicesPanel"
      i18n-placeholder
      placeholder="Add a model by name"
      i18n-aria-label
      aria-label="Add a model by name"
    />
    <mat-autocomplete #choicesPanel="matAutocomplete" (optionSelected)="pick($event, box)">
      @for (choice of choices(); track choice.id) {
        <mat-option [value]="choice.id">
          {{ choice.name }} <span class="muted">{{ choice.owner }}</span>
        </mat-option>
      }
    </mat-autocomplete>
  `,
  styles: `
    input {
      width: 200px;
      min-height: 32px;
      padding: 4px 10px;
      border: 1px solid var(--line-control);
      border-radius: var(--radius);
      background: var(--surface);
      color: var(--text);
      font: inherit;

      &::placeholder {
        color: var(--muted);
      }
    }
  `,
})
export class ModelPicker {
  readonly slug = input.required<string>();
  /** IDs or names of models that are not offered. */
  readonly taken = input<readonly string[]>([]);
  /** The ID of the chosen model. */
  readonly picked = output<string>();

  protected readonly query = signal('');
  private readonly asked = debounced(this.query, PAUSE_MILLISECONDS);
  private readonly newest = modelsListResource(() =>
    this.slug() ? { path: { slug: this.slug() }, query: { limit: 200 } } : undefined,
  );
  private readonly found = searchFindResource(() => {
    const q = this.asked.value().trim();
    return q === '' ? undefined : { query: { q } };
  });

  /** Models whose names contain the typed text, from the task's 200 newest and from the search. */
  protected readonly choices = computed<readonly Choice[]>(() => {
    const typed = this.query().trim().toLowerCase();
    const listed = this.newest.hasValue() ? this.newest.value().items : [];
    const found = this.found.hasValue() ? this.found.value().models.filter(({ task }) => task === this.slug()) : [];
    const all = new Map<string, Choice>([...listed, ...found].map((choice) => [choice.id, choice]));
    return [...all.values()]
      .filter(({ name }) => name.toLowerCase().includes(typed))
      .filter(({ id, name }) => !this.taken().includes(id) && !this.taken().includes(name))
      .slice(0, SHOWN);
  });

  protected pick(event: MatAutocompleteSelectedEvent, box: HTMLInputElement): void {
    this.picked.emit(event.option.value as string);
    this.query.set('');
    box.value = '';
  }
}
