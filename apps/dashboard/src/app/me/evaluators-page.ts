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
      lead="Register your own hosts to run models. Your evaluators run only models that you alone submitted, on the tasks that you own."
    />
    <app-registered-evaluators [own]="true" />
  `,
})
export class OwnEvaluatorsPage {}
