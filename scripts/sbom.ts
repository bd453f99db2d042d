/**
 * Prints a software bill of materials of the packages in the image (CycloneDX 1.5, JSON), from package-lock.json and package.json. It
 * needs neither a network nor installed packages, and prints the same for the same lock file.
 *
 *   npm run --silent sbom > schoolgate.cdx.json
 */
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'

interface LockedPackage {
  version?: string
  resolved?: string
  integrity?: string
  license?: string
  dev?: boolean
  optional?: boolean
  devOptional?: boolean
  dependencies?: Record<string, string>
}

const root = resolve(import.meta.dirname, '..')
const read = (file: string): unknown => JSON.parse(readFileSync(resolve(root, file), 'utf8'))
const { packages } = read('package-lock.json') as { packages: Record<string, LockedPackage> }
const { name, version } = read('package.json') as { name: string; version: string }

/** The packages that `npm ci --omit=dev --omit=optional` installs. */
const installed = Object.entries(packages).filter(
  ([path, { dev, optional, devOptional }]) => path !== '' && !(dev || optional || devOptional),
)
const nameOf = (path: string): string => path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length)
const referenceOf = (path: string): string => {
  const { version: found } = packages[path] ?? {}
  const [scope, own] = nameOf(path).split('/')
  return `pkg:npm/${own === undefined ? scope : `${encodeURIComponent(String(scope))}/${own}`}@${found}`
}

/** Returns the path of a dependency as Node resolves it: in the package itself, then in the folders above. */
function pathOf(from: string, dependency: string): string | undefined {
  for (let folder = from; ; folder = folder.slice(0, Math.max(0, folder.lastIndexOf('/node_modules/')))) {
    const path = folder === '' ? `node_modules/${dependency}` : `${folder}/node_modules/${dependency}`
    if (packages[path]) return path
    if (folder === '') return undefined
  }
}

const dependenciesOf = (path: string): string[] =>
  [
    ...new Set(
      Object.keys(packages[path]?.dependencies ?? {}).flatMap((dependency) => {
        const found = pathOf(path, dependency)
        return found === undefined || !installed.some(([one]) => one === found) ? [] : [referenceOf(found)]
      }),
    ),
  ].toSorted()

const components = new Map(
  installed.map(([path, { version: found, integrity, license, resolved }]) => {
    const [group, own] = nameOf(path).split('/')
    const reference = referenceOf(path)
    return [
      reference,
      {
        type: 'library',
        'bom-ref': reference,
        ...(own === undefined ? { name: group } : { group, name: own }),
        version: found,
        purl: reference,
        ...(license !== undefined && { licenses: [{ expression: license }] }),
        ...(integrity?.startsWith('sha512-') && {
          hashes: [{ alg: 'SHA-512', content: Buffer.from(integrity.slice('sha512-'.length), 'base64').toString('hex') }],
        }),
        ...(resolved !== undefined && { externalReferences: [{ type: 'distribution', url: resolved }] }),
      },
    ] as const
  }),
)
const self = `pkg:npm/${name}@${version}`
const dependencies = new Map(installed.map(([path]) => [referenceOf(path), dependenciesOf(path)] as const))
const document = {
  bomFormat: 'CycloneDX',
  specVersion: '1.5',
  version: 1,
  metadata: { component: { type: 'application', 'bom-ref': self, name, version, purl: self } },
  components: [...components].toSorted(([left], [right]) => (left < right ? -1 : 1)).map(([, component]) => component),
  dependencies: [[self, dependenciesOf('')] as const, ...[...dependencies].toSorted(([left], [right]) => (left < right ? -1 : 1))].map(
    ([ref, dependsOn]) => ({ ref, dependsOn }),
  ),
}
process.stdout.write(`${JSON.stringify(document, null, 2)}\n`)
