import { spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { parseAllDocuments } from 'yaml'

const root = resolve(import.meta.dirname, '../..')
const folders = ['deploy/kubernetes', 'deploy/kubernetes/migration']
// Below the root, so that the compiler finds the types of Kubernetes.
const directory = mkdtempSync(join(root, 'node_modules/.cache/kubernetes-'))
afterAll(() => rmSync(directory, { recursive: true }))

interface Manifest {
  apiVersion: string
  kind: string
}

const manifests: readonly (readonly [string, Manifest])[] = folders.flatMap((folder) =>
  readdirSync(join(root, folder))
    .filter((name) => name.endsWith('.yaml') && name !== 'kustomization.yaml')
    .flatMap((name) =>
      parseAllDocuments(readFileSync(join(root, folder, name), 'utf8')).map((document): [string, Manifest] => [
        `${folder}/${name}`,
        document.toJS(),
      ]),
    ),
)

/** Returns what the types of Kubernetes find wrong with manifests: properties that do not exist, are missing, or have another type. */
function problemsOf(given: readonly Manifest[]): string {
  const program = given.map((manifest, at) => {
    const module = `kubernetes-types/${manifest.apiVersion.includes('/') ? manifest.apiVersion.replace('.k8s.io', '') : `core/${manifest.apiVersion}`}`
    return `import type { ${manifest.kind} as Kind${at} } from '${module}'\nexport const manifest${at}: Kind${at} = ${JSON.stringify(manifest)}`
  })
  writeFileSync(join(directory, 'manifests.ts'), program.join('\n'))
  const options = ['--ignoreConfig', '--noEmit', '--strict', '--skipLibCheck', '--module', 'preserve', '--types', '']
  return spawnSync(join(root, 'node_modules/.bin/tsc'), [...options, join(directory, 'manifests.ts')], { cwd: directory, encoding: 'utf8' })
    .stdout
}

test('every manifest has the form that its kind has in Kubernetes', () => {
  expect(manifests.length).toBeGreaterThan(7)
  expect(problemsOf(manifests.map(([, manifest]) => manifest))).toBe('')
})

test.each([
  ['a misspelt property', 'readOnlyRootFilesystem', 'readOnlyRootFileSystem'],
  ['a text in the place of a number', '"containerPort":3000', '"containerPort":"3000"'],
  ['a missing property', '"name":"schoolgate","image"', '"image"'],
])('%s is found', (_name, from, to) => {
  const deployment = JSON.stringify(manifests.map(([, manifest]) => manifest).find(({ kind }) => kind === 'Deployment'))
  expect(deployment).toContain(from)
  expect(problemsOf([JSON.parse(deployment.replace(from, to))])).toMatch(/error TS2\d{3}/)
})
