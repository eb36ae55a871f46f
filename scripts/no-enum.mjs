const noEnum = {
  create: (context) => ({
    TSEnumDeclaration: (node) =>
      context.report({ node, message: 'A union of strings says the same and is plain data.' }),
  }),
};

/** An Oxlint plugin with rules that Oxlint does not have. */
export default { meta: { name: 'assay' }, rules: { 'no-enum': noEnum } };
