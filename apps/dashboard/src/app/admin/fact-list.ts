import { Component, input } from '@angular/core';

/** A fact of an audit entry, before and after the change. */
interface ChangedFact {
  /** The path to the value in words, for example `limits, memory`. */
  readonly name: string;
  /** The value in words. Undefined if the entry does not have this fact. */
  readonly from: string | undefined;
  readonly to: string | undefined;
}

type Facts = Readonly<Record<string, unknown>> | null;

/**
 * Returns the facts that an audit entry changed, each once. Unchanged facts are left out. If every
 * earlier value is null, the object is new and its facts have no `from`.
 */
export function changedFacts(from: Facts, to: Facts): readonly ChangedFact[] {
  const isNew = from !== null && to !== null && Object.values(from).every((value) => value === null);
  const [before, after] = [new Map(leavesOf(isNew ? null : from)), new Map(leavesOf(to))];
  return [...new Set([...before.keys(), ...after.keys()])]
    .map((name) => ({ name, from: before.get(name), to: after.get(name) }))
    .filter((fact) => fact.from !== fact.to);
}

function leavesOf(facts: Facts, within: readonly string[] = []): readonly (readonly [string, string])[] {
  return Object.entries(facts ?? {}).flatMap(([key, value]) => {
    const path = [...within, inWords(key)];
    return isFacts(value) ? leavesOf(value, path) : [[path.join(', '), valueInWords(value)] as const];
  });
}

const isFacts = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && Object.keys(value).length > 0;

/** `expiresAt` and `expires_at` become `expires at`. */
const inWords = (key: string): string =>
  key
    .replaceAll('_', ' ')
    .replace(/(?<=\p{Ll})(?=\p{Lu})/gu, ' ')
    .toLowerCase();

function valueInWords(value: unknown): string {
  if (value === null || value === undefined) return $localize`nothing`;
  if (typeof value === 'boolean') return value ? $localize`yes` : $localize`no`;
  if (typeof value === 'string') return value === '' ? $localize`empty` : value;
  if (typeof value === 'number') return String(value);
  if (Array.isArray(value) && value.every((each) => typeof each !== 'object')) {
    return value.length === 0 ? $localize`none` : value.map(String).join(', ');
  }
  return JSON.stringify(value);
}

/** Facts before and after a change, one per line. */
@Component({
  selector: 'app-fact-list',
  template: `
    <ul>
      @for (fact of facts(); track fact.name) {
        <li>
          <span class="muted">{{ fact.name }}:</span>&ngsp;
          @if (fact.from !== undefined && fact.to !== undefined) {
            {{ fact.from }}&ngsp;<span aria-hidden="true">→</span>
            <span class="visually-hidden" i18n>became</span>&ngsp;<strong>{{ fact.to }}</strong>
          } @else if (fact.to !== undefined) {
            <strong>{{ fact.to }}</strong>
          } @else {
            <ng-container i18n>was {{ fact.from }}</ng-container>
          }
        </li>
      }
    </ul>
  `,
  styles: `
    ul {
      padding: 0;
      list-style: none;
    }

    li {
      overflow-wrap: anywhere;
    }

    strong {
      font-weight: 500;
    }
  `,
})
export class FactList {
  readonly facts = input.required<readonly ChangedFact[]>();
}
