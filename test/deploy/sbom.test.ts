import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { expect, test } from 'vitest'

const root = resolve(import.meta.dirname, '../..')

test('the bill of materials names every package of the image once, with its licence and its dependencies', () => {
  const { components, dependencies } = JSON.parse(
    execFileSync(process.execPath, ['scripts/sbom.ts'], { cwd: root, encoding: 'utf8', maxBuffer: 16 * 1_048_576 }),
  ) as {
    components: { 'bom-ref': string; name: string; group?: string; licenses?: object[]; hashes?: object[] }[]
    dependencies: { ref: string; dependsOn: string[] }[]
  }
  const {
    dependencies: own,
    optionalDependencies,
    devDependencies,
  } = JSON.parse(readFileSync(resolve(root, 'package.json'), 'utf8')) as Record<string, Record<string, string>>
  const names = new Set(components.map(({ group, name }) => (group === undefined ? name : `${group}/${name}`)))
  for (const name of Object.keys(own ?? {})) expect(names).toContain(name)
  for (const name of ['vitest', 'prisma', 'playwright-core']) {
    expect({ ...devDependencies, ...optionalDependencies }[name]).toBeDefined()
    expect(names).not.toContain(name)
  }
  const references = new Set(components.map((component) => component['bom-ref']))
  expect(references.size).toBe(components.length)
  for (const { licenses, hashes } of components) expect([licenses?.length, hashes?.length]).toEqual([1, 1])
  for (const { dependsOn } of dependencies) for (const reference of dependsOn) expect(references).toContain(reference)
  expect(dependencies[0]?.dependsOn).toHaveLength(Object.keys(own ?? {}).length)
})
