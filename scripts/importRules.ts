import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { IForbiddenRuleType } from 'dependency-cruiser'
import { type Module, modules, type PackageOwner, packageOwners, processFiles } from './importTable.ts'

/** The resources that refer to each other, for example by an expansion. */
const declarations = `^src/school/(${listedResources().join('|')})\\.ts$`

/** Converts the import table to rules of dependency-cruiser. Every import that no rule forbids is allowed. */
export const importRules: IForbiddenRuleType[] = [
  ...modules.flatMap(moduleRules),
  ...packageOwners.flatMap(ownerRules),
  {
    name: 'known module',
    comment: 'a folder of src without an entry in scripts/importTable.ts',
    severity: 'error',
    from: { path: '^src/[^/]+/', pathNot: inModules([...modules.map(({ name }) => name), 'gen']) },
    to: {},
  },
  {
    name: 'public entry',
    comment: 'only the public entry point of the engine may be imported',
    severity: 'error',
    from: { path: '^src/' },
    to: { path: 'node_modules/oidc-provider/', pathNot: 'node_modules/oidc-provider/lib/index\\.js$' },
  },
  {
    name: 'process',
    comment: `only ${processFiles.join(' and ')} may use Node's process`,
    severity: 'error',
    from: { path: '^src/', pathNot: [...processFiles.map((file) => `^${escaped(file)}`), '^src/gen/'] },
    to: { path: '^(node:)?process$' },
  },
  {
    name: 'Kysely only',
    comment: 'queries of the features are built with Kysely, so that the compiler checks their tables and columns',
    severity: 'error',
    from: { path: '^src/(school|engine)/', pathNot: '^src/school/analytics/rollups/' },
    to: { path: '^src/database/connection/(sql|rawSql)\\.ts$' },
  },
  {
    name: 'no cycle',
    comment: 'two files must not import each other, not even types; move what both need to a third file',
    severity: 'error',
    from: { pathNot: ['^src/gen/', '^src/school/', '^src/pages/'] },
    to: { circular: true },
  },
  {
    name: 'no cycle of pages',
    comment: 'two files must not import each other, not even types; only templates.ts names the types of all pages',
    severity: 'error',
    from: { path: '^src/pages/' },
    to: { circular: true, viaOnly: { pathNot: '^src/pages/templates\\.ts$' } },
  },
  {
    name: 'no cycle of values',
    comment: 'two files must not import values of each other; move what both need to a third file',
    severity: 'error',
    from: { path: '^src/pages/' },
    to: { circular: true, viaOnly: { dependencyTypesNot: ['type-only'] } },
  },
  {
    // Resources that refer to each other import each other. Functions return them, so the loading order does not matter.
    name: 'no cycle of resources',
    comment: 'only the declarations that src/school/index.ts lists may import each other; move what both need to a third file',
    severity: 'error',
    from: { path: '^src/school/' },
    to: { circular: true, via: { pathNot: declarations } },
  },
  {
    name: 'declared package',
    comment: 'the package is not a dependency in package.json: a production install would not contain it',
    severity: 'error',
    from: { path: '^src/' },
    to: { dependencyTypes: ['npm-dev', 'npm-no-pkg', 'npm-unknown'], dependencyTypesNot: ['type-only'] },
  },
  {
    name: 'resolvable',
    comment: 'the file or package does not exist',
    severity: 'error',
    from: { path: '^src/', pathNot: '^src/gen/' },
    to: { couldNotResolve: true },
  },
]

function moduleRules({ name, mayImport, mayImportTypesOf = [] }: Module): IForbiddenRuleType[] {
  if (mayImport === 'anything') return []
  const types = [...mayImportTypesOf, 'config'].filter((module) => module !== name && !mayImport.includes(module))
  return [
    {
      name: `${name} imports`,
      comment: `may import ${[...mayImport, ...types.map((module) => `types of ${module}`)].join(', ')} and nothing else of src`,
      severity: 'error',
      from: { path: inModules([name]) },
      to: { path: '^src/', pathNot: inModules([name, ...mayImport, ...types]) },
    },
    {
      name: `${name} imports types`,
      comment: `may import types of ${types.join(', ')}, not values: pass them in as arguments`,
      severity: 'error',
      from: { path: inModules([name]) },
      to: { path: inModules(types), dependencyTypesNot: ['type-only'] },
    },
  ]
}

function ownerRules({ name, modules: owners, typesIn = [] }: PackageOwner): IForbiddenRuleType[] {
  const path = `(^|node_modules/)(@types/)?${escaped(name)}(/|$)`
  const ownedBy: IForbiddenRuleType = {
    name: `${name} owners`,
    comment: `belongs to ${[...owners, ...typesIn.map((module) => `${module} (types)`)].join(', ')}`,
    severity: 'error',
    from: { path: '^src/', pathNot: inModules([...owners, ...typesIn, 'operate/cli', 'gen']) },
    to: { path },
  }
  const typesOnly: IForbiddenRuleType = {
    name: `${name} types`,
    comment: `only its types may be imported by ${typesIn.join(', ')}`,
    severity: 'error',
    from: { path: inModules(typesIn) },
    to: { path, dependencyTypesNot: ['type-only'] },
  }
  return typesIn.length > 0 ? [ownedBy, typesOnly] : [ownedBy]
}

/** Returns the names of the files that the list of all resources imports. */
function listedResources(): string[] {
  const list = readFileSync(join(import.meta.dirname, '../src/school/index.ts'), 'utf8')
  return [...list.matchAll(/^import \{ \w+ \} from '\.\/([\w/]+)\.ts'$/gm)].map(([, name = '']) => name)
}

function inModules(names: readonly string[]): string {
  return `^src/(${names.join('|')})/`
}

function escaped(text: string): string {
  return text.replaceAll('.', '\\.')
}
