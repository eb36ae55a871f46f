import { Component, computed, input } from '@angular/core';
import type { DatasetCheck } from '@assay/api-client/angular';
import { cutText, valueText } from '../../ui/index.js';

const SHOWN = 5;
const LONGEST = 200;

/** The first examples of a file as a table: input and slice fields, and the gold output. */
@Component({
  selector: 'app-first-examples',
  template: `
    <div class="table-frame" tabindex="0" role="region" i18n-aria-label aria-label="The first examples">
      <table class="data">
        <thead>
          <tr>
            <th scope="col" class="number line" i18n>Line</th>
            @for (name of names(); track name) {
              <th scope="col">{{ name }}</th>
            }
            <th scope="col" i18n>Gold</th>
          </tr>
        </thead>
        <tbody>
          @for (row of rows(); track row.line) {
            <tr>
              <td class="number muted">{{ row.line }}</td>
              @for (value of row.values; track $index) {
                <td dir="auto">{{ value }}</td>
              }
              <td dir="auto">{{ row.gold }}</td>
            </tr>
          }
        </tbody>
      </table>
    </div>
  `,
  styles: `
    .line {
      width: 1%;
    }

    td {
      min-width: 60px;
      max-width: 320px;
      overflow-wrap: anywhere;
    }
  `,
})
export class FirstExamples {
  readonly examples = input.required<DatasetCheck['first']>();
  readonly fields = input.required<DatasetCheck['fields']>();

  protected readonly names = computed(() => {
    const inputs = this.fields().filter(({ use }) => use === 'input');
    const slices = this.fields().filter(({ use }) => use === 'slice');
    return [...inputs, ...slices].map(({ name }) => name);
  });
  protected readonly rows = computed(() =>
    this.examples()
      .slice(0, SHOWN)
      .map(({ line, gold, fields }) => ({
        line,
        gold: gold.join(' / '),
        values: this.names().map((name) => cutText(valueText(fields[name] ?? ''), LONGEST)),
      })),
  );
}
