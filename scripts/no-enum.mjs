const noEnum = {
  create: (context) => ({
    TSEnumDeclaration: (node) =>
      context.report({ node, message: 'A union of strings says the same and is plain data.' }),
  }),
};

/** A plugin of Oxlint for what its own rules do not forbid. */
export default { meta: { name: 'assay' }, rules: { 'no-enum': noEnum } };
