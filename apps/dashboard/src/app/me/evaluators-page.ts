import { Component } from '@angular/core';
import { RegisteredEvaluators } from '../evaluators/registered-evaluators.js';
import { PageHeader } from '../ui/index.js';

/** The evaluators that the user registered for their own tasks. */
@Component({
  selector: 'app-own-evaluators-page',
  imports: [PageHeader, RegisteredEvaluators],
  template: `
    <app-page-header
      i18n-title
      title="Evaluators"
      i18n-lead
      lead="Register your own hosts for the tasks that you own. Each evaluator has a token, with which it can only report its presence so far."
    />
    <app-registered-evaluators [own]="true" />
  `,
})
export class OwnEvaluatorsPage {}
