/**
 * Prints a software bill of materials of the packages in the image (CycloneDX 1.5, JSON), from package-lock.json and package.json. It
 * needs neither a network nor installed packages, and prints the same for the same lock file.
 *
 *   npm run --silent sbom > schoolgate.cdx.json
 */
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'

interface Bill {
  specVersion: string
  metadata: { component: { 'bom-ref': string; purl: string } }
  components: { 'bom-ref': string; name: string; version: string }[]
  dependencies: { ref: string; dependsOn: string[] }[]
}

const cwd = resolve(import.meta.dirname, '..')
const read = (file: string) => JSON.parse(readFileSync(resolve(cwd, file), 'utf8'))
const { name, version, dependencies: own }: Record<'name' | 'version', string> & { dependencies: object } = read('package.json')
const { packages }: { packages: Record<string, Record<'dev' | 'optional' | 'devOptional', boolean> & { version: string }> } =
  read('package-lock.json')
const command = ['sbom', '--package-lock-only', '--sbom-format=cyclonedx', '--sbom-type=application']
const all: Bill = JSON.parse(execFileSync('npm', command, { cwd, encoding: 'utf8', maxBuffer: 2 ** 26 }))

// `--omit` of npm also leaves out the packages that both the image and a development tool need.
const inImage = new Set(
  Object.entries(packages).flatMap(([path, found]) =>
    path === '' || found.dev || found.optional || found.devOptional ? [] : [`${path.replace(/^.*node_modules\//, '')}@${found.version}`],
  ),
)
const self = all.metadata.component['bom-ref']
const needed = ({ ref, dependsOn }: Bill['dependencies'][number]) => ({
  ref,
  dependsOn: dependsOn.filter((one) => inImage.has(one) && (ref !== self || one.replace(/@[^@]*$/, '') in own)),
})
const bill = {
  bomFormat: 'CycloneDX',
  specVersion: all.specVersion,
  version: 1,
  metadata: { component: { type: 'application', 'bom-ref': self, name, version, purl: all.metadata.component.purl } },
  components: all.components.filter((component) => inImage.has(component['bom-ref'])),
  dependencies: all.dependencies.filter(({ ref }) => ref === self || inImage.has(ref)).map(needed),
}
process.stdout.write(`${JSON.stringify(bill, null, 2)}\n`)
