import { Component, computed, inject, input } from '@angular/core';
import type { Annotation, TaskOutput } from '@assay/api-client/angular';
import { Icon, Numbers } from '../ui/index.js';
import { answerInWords } from './answers-in-words.js';

const MOST_LABELS = 5;

/** The answers of the models with their probabilities. They appear one after the other. */
@Component({
  selector: 'app-model-answers',
  imports: [Icon],
  template: `
    <ul>
      @for (answer of answers(); track answer.place; let index = $index) {
        <li class="panel" [style.animation-delay.ms]="index * 240">
          <p class="head">
            <app-icon name="smart_toy" />
            <span class="muted">
              @if (answer.model) {
                <bdi>{{ answer.model.name }}</bdi>
              } @else if (answers().length === 1) {
                <ng-container i18n>The model</ng-container>
              } @else {
                <ng-container i18n>Model {{ answer.place }}</ng-container>
              }
            </span>
            <strong
              ><bdi>{{ answer.words }}</bdi></strong
            >
            <span class="muted small time">{{ numbers.duration(answer.milliseconds) }}</span>
          </p>
          @if (answer.shares.length > 0) {
            <ul class="shares" i18n-aria-label aria-label="How sure it was, in percent">
              @for (share of answer.shares; track share.label) {
                <li>
                  <span>{{ share.label }}</span>
                  <span class="bar" aria-hidden="true"
                    ><span [style.inline-size.%]="share.ratio * 100" [class.is-first]="share.isAnswer"></span
                  ></span>
                  <span class="numbers">{{ numbers.percent(share.ratio) }}%</span>
                </li>
              }
            </ul>
          } @else {
            <p class="muted small" i18n>It gives no probabilities.</p>
          }
        </li>
      }
    </ul>
    @if (annotation().choices; as choices) {
      <ol class="panel choices" i18n-aria-label aria-label="The choices that the model had">
        @for (text of choices.texts; track $index; let index = $index) {
          <li>
            {{ text }}
            @if (index === choices.right) {
              <span class="tag good" i18n>right</span>
            }
            @if (choices.chosen.includes(index)) {
              <span class="tag" i18n>chosen by the model</span>
            }
          </li>
        }
      </ol>
    }
  `,
  styles: `
    :host,
    ul {
      display: grid;
      gap: 8px;
      grid-template-columns: minmax(0, 1fr);
      padding: 0;
      list-style: none;
    }

    .panel {
      padding: 12px 16px;
      animation: arrive 240ms ease-out backwards;
    }

    .head {
      display: flex;
      flex-wrap: wrap;
      gap: 4px 8px;
      align-items: center;
    }

    strong {
      font-size: var(--size-3);
      overflow-wrap: anywhere;
    }

    .time {
      margin-inline-start: auto;
    }

    .shares {
      gap: 2px;
      margin-top: 8px;
    }

    .shares li {
      display: grid;
      grid-template-columns: minmax(80px, 160px) minmax(40px, 1fr) 56px;
      gap: 12px;
      align-items: center;
    }

    .bar {
      height: 8px;
      border-radius: 4px;
      background: var(--line);
      overflow: hidden;
    }

    .bar span {
      display: block;
      height: 100%;
      background: var(--line-control);
    }

    .bar .is-first {
      background: var(--accent);
    }

    .numbers {
      text-align: end;
    }

    .choices {
      padding-inline-start: 36px;
    }

    @keyframes arrive {
      from {
        opacity: 0;
        transform: translateY(6px);
      }
    }
  `,
})
export class ModelAnswers {
  readonly annotation = input.required<Annotation>();
  readonly output = input.required<TaskOutput>();

  protected readonly numbers = inject(Numbers);
  protected readonly answers = computed(() =>
    this.annotation().answers.map((answer) => ({
      ...answer,
      words: answerInWords(answer.answer, this.output()),
      shares: Object.entries(answer.probabilities ?? {})
        .map(([label, ratio]) => ({ label, ratio, isAnswer: label === answer.answer }))
        .sort((one, other) => other.ratio - one.ratio)
        .slice(0, MOST_LABELS),
    })),
  );
}
