import angular from 'angular-eslint';
import prettier from 'eslint-config-prettier';
import tseslint from 'typescript-eslint';

export default tseslint.config(
  {
    ignores: [
      'dist',
      'node_modules',
      'apps/dashboard/src/client',
      'apps/dashboard/src/svg.d.ts',
      '.assay',
      '**/*.gen.ts',
      '**/*.mjs',
      '**/*.cjs',
      '**/*.js',
      'coverage',
    ],
  },
  ...tseslint.configs.strictTypeChecked.map((config) => ({ ...config, files: ['**/*.ts'] })),
  {
    files: ['**/*.ts'],
    languageOptions: { parserOptions: { project: './tsconfig.json', tsconfigRootDir: import.meta.dirname } },
    rules: {
      '@typescript-eslint/switch-exhaustiveness-check': ['error', { considerDefaultExhaustiveForUnions: true }],
      '@typescript-eslint/consistent-type-imports': ['error', { disallowTypeAnnotations: false }],
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true, allowBoolean: true }],
      '@typescript-eslint/no-extraneous-class': ['error', { allowWithDecorator: true, allowConstructorOnly: true }],
      '@typescript-eslint/no-confusing-void-expression': ['error', { ignoreArrowShorthand: true }],
      '@typescript-eslint/no-non-null-assertion': 'off',
      // the slowest rules by far, about what is forbidden below: there is no enum to mix up
      '@typescript-eslint/no-unsafe-enum-assignment': 'off',
      '@typescript-eslint/no-unsafe-enum-comparison': 'off',
      // libraries declare their plain options as classes
      '@typescript-eslint/no-unsafe-class-instance-assignment': 'off',
      '@typescript-eslint/no-unnecessary-condition': 'off',
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_' }],
      'no-restricted-syntax': [
        'error',
        { selector: 'TSEnumDeclaration', message: 'A union of strings says the same and is plain data.' },
        { selector: 'ExportDefaultDeclaration', message: 'Named exports are found by their name.' },
      ],
    },
  },
  {
    // Nest reads the classes of injected parameters at run time, so their imports can't be types only
    files: ['apps/**/*.ts', 'libs/**/*.ts'],
    rules: { '@typescript-eslint/consistent-type-imports': 'off' },
  },
  ...angular.configs.tsRecommended.map((config) => ({ ...config, files: ['apps/dashboard/**/*.ts'] })),
  {
    files: ['apps/dashboard/**/*.ts'],
    languageOptions: { parserOptions: { project: './apps/dashboard/tsconfig.json' } },
    processor: angular.processInlineTemplates,
    rules: {
      // Angular 22 has it by default
      '@angular-eslint/prefer-on-push-component-change-detection': 'off',
      // its validators are static methods that know no `this`
      '@typescript-eslint/unbound-method': 'off',
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
  {
    files: ['**/*.spec.ts', 'test/**/*.ts'],
    rules: {
      'no-restricted-syntax': [
        'error',
        {
          selector: "MemberExpression[object.name=/^(it|test|describe)$/][property.name='only']",
          message: 'A focused test hides the others.',
        },
      ],
      '@typescript-eslint/no-unsafe-assignment': 'off',
      '@typescript-eslint/no-unsafe-member-access': 'off',
      '@typescript-eslint/no-unsafe-argument': 'off',
      '@typescript-eslint/no-unsafe-call': 'off',
      '@typescript-eslint/no-unsafe-return': 'off',
    },
  },
  prettier,
);
