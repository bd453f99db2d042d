import type { IForbiddenRuleType } from 'dependency-cruiser'
import { type PackageOwner, packageOwners, processFiles, type Room, rooms } from './importTable.ts'

/** The import table as rules of dependency-cruiser. What no rule forbids is allowed. */
export const importRules: IForbiddenRuleType[] = [
  ...rooms.flatMap(roomRules),
  ...packageOwners.flatMap(ownerRules),
  {
    name: 'known room',
    comment: 'a folder of src without an entry in scripts/importTable.ts',
    severity: 'error',
    from: { path: '^src/[^/]+/', pathNot: inRooms([...rooms.map(({ name }) => name), 'gen']) },
    to: {},
  },
  {
    name: 'public entry',
    comment: 'the engine is used through its public entry alone',
    severity: 'error',
    from: { path: '^src/' },
    to: { path: 'node_modules/oidc-provider/', pathNot: 'node_modules/oidc-provider/lib/index\\.js$' },
  },
  {
    name: 'process',
    comment: `only ${processFiles.join(' and ')} touch the process`,
    severity: 'error',
    from: { path: '^src/', pathNot: [...processFiles.map((file) => `^${escaped(file)}`), '^src/gen/'] },
    to: { path: '^(node:)?process$' },
  },
  {
    name: 'no cycle',
    comment:
      'files that need each other cannot be read one after the other; types may close a circle, and resources name each other in functions',
    severity: 'error',
    from: { pathNot: ['^src/gen/', '^src/resources/'] },
    to: { circular: true, viaOnly: { dependencyTypesNot: ['type-only'] } },
  },
  {
    name: 'declared package',
    comment: 'the package is not a dependency of package.json: a production install would not have it',
    severity: 'error',
    from: { path: '^src/' },
    to: { dependencyTypes: ['npm-dev', 'npm-no-pkg', 'npm-unknown'], dependencyTypesNot: ['type-only'] },
  },
  {
    name: 'resolvable',
    comment: 'there is no such file or package',
    severity: 'error',
    from: { path: '^src/', pathNot: '^src/gen/' },
    to: { couldNotResolve: true },
  },
]

function roomRules({ name, mayImport, mayImportTypesOf = [] }: Room): IForbiddenRuleType[] {
  if (mayImport === 'anything') return []
  const types = [...mayImportTypesOf, 'config'].filter((room) => room !== name && !mayImport.includes(room))
  return [
    {
      name: `${name} imports`,
      comment: `may import ${[...mayImport, ...types.map((room) => `types of ${room}`)].join(', ')} and nothing else of src`,
      severity: 'error',
      from: { path: inRooms([name]) },
      to: { path: '^src/', pathNot: inRooms([name, ...mayImport, ...types]) },
    },
    {
      name: `${name} imports types`,
      comment: `may import types of ${types.join(', ')}, not values: they are handed in as arguments`,
      severity: 'error',
      from: { path: inRooms([name]) },
      to: { path: inRooms(types), dependencyTypesNot: ['type-only'] },
    },
  ]
}

function ownerRules({ name, rooms: owners, typesIn = [] }: PackageOwner): IForbiddenRuleType[] {
  const path = `(^|node_modules/)(@types/)?${escaped(name)}(/|$)`
  const ownedBy: IForbiddenRuleType = {
    name: `${name} owners`,
    comment: `belongs to ${[...owners, ...typesIn.map((room) => `${room} (types)`)].join(', ')}`,
    severity: 'error',
    from: { path: '^src/', pathNot: inRooms([...owners, ...typesIn, 'cli', 'gen']) },
    to: { path },
  }
  const typesOnly: IForbiddenRuleType = {
    name: `${name} types`,
    comment: `only its types are open to ${typesIn.join(', ')}`,
    severity: 'error',
    from: { path: inRooms(typesIn) },
    to: { path, dependencyTypesNot: ['type-only'] },
  }
  return typesIn.length > 0 ? [ownedBy, typesOnly] : [ownedBy]
}

function inRooms(names: readonly string[]): string {
  return `^src/(${names.join('|')})/`
}

function escaped(text: string): string {
  return text.replaceAll('.', '\\.')
}
