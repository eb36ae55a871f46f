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
      lead="Register your own hosts to run models. Your evaluators run models on the tasks that you own: yours, and those whose owners allow it."
    />
    <app-registered-evaluators [own]="true" />
  `,
})
export class OwnEvaluatorsPage {}
