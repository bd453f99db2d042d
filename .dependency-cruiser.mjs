import { importRules } from './scripts/importRules.ts'

/** The import table of scripts/importTable.ts, as dependency-cruiser reads it. */
export default {
  forbidden: importRules,
  options: {
    doNotFollow: { path: 'node_modules' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'node', 'default'] },
  },
}
