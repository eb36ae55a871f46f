import angular from 'angular-eslint';

/** The rules of Angular's components and templates. All other rules are those of Oxlint, in .oxlintrc.json. */
export default [
  ...angular.configs.tsRecommended.map((config) => ({ ...config, files: ['apps/dashboard/**/*.ts'] })),
  {
    files: ['apps/dashboard/**/*.ts'],
    processor: angular.processInlineTemplates,
    rules: {
      // Angular 22 has it by default
      '@angular-eslint/prefer-on-push-component-change-detection': 'off',
    },
  },
  ...[...angular.configs.templateRecommended, ...angular.configs.templateAccessibility].map((config) => ({
    ...config,
    files: ['apps/dashboard/**/*.html'],
    ignores: ['apps/dashboard/src/index.html'],
  })),
  {
    // every text that people read comes from the catalogue
    files: ['apps/dashboard/src/app/**/*.html'],
    rules: {
      '@angular-eslint/template/i18n': [
        'error',
        { checkId: false, checkText: true, checkAttributes: false, ignoreTags: ['code', 'kbd', 'app-icon'] },
      ],
    },
  },
];
