import { existsSync, lstatSync, readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, test } from 'vitest'
import { isUnneeded } from '../../scripts/prunePackages.ts'

const root = resolve(import.meta.dirname, '../..')
const mostMegabytes = 110

interface Lock {
  packages: Record<string, { dev?: boolean; optional?: boolean; devOptional?: boolean }>
}

/** Bytes on disk of the files that the image keeps, without the packages inside of this one. */
const sizeOf = (folder: string): number =>
  readdirSync(folder, { withFileTypes: true }).reduce((sum, entry) => {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) return entry.name === 'node_modules' ? sum : sum + sizeOf(path)
    return isUnneeded(path) ? sum : sum + lstatSync(path).blocks * 512
  }, 0)

test(`the packages of a production image take less than ${mostMegabytes} MB`, () => {
  const { packages }: Lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'))
  const production = Object.entries(packages).filter(
    ([path, { dev, optional, devOptional }]) => path !== '' && !(dev || optional || devOptional),
  )
  const installed = production.map(([path]) => join(root, path)).filter((path) => existsSync(path))
  expect(installed.length).toBeGreaterThan(200)
  expect(installed.reduce((sum, path) => sum + sizeOf(path), 0) / 1e6).toBeLessThan(mostMegabytes)
})

test('the image is made with the steps that this size assumes', () => {
  const dockerfile = readFileSync(join(root, 'Dockerfile'), 'utf8')
  expect(dockerfile).toContain('npm ci --omit=dev --omit=optional --ignore-scripts && node scripts/prunePackages.ts')
})
