import { existsSync, readFileSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'
import { expect, test } from 'vitest'
import { isUnneeded } from '../../scripts/prunePackages.ts'
import { diskBytes, maxMegabytes, productionPackages } from '../support/imageSize.ts'

const root = resolve(import.meta.dirname, '../..')

test(`the packages of a production image take less than ${maxMegabytes} MB`, () => {
  const production = productionPackages(readFileSync(join(root, 'package-lock.json'), 'utf8'))
  const installed = production.map((path) => join(root, path)).filter((path) => existsSync(path))
  expect(installed.length).toBeGreaterThan(200)
  // The packages inside of a package are in the list themselves.
  const isCounted = (path: string, isFolder: boolean): boolean => (isFolder ? basename(path) !== 'node_modules' : !isUnneeded(path))
  expect(installed.reduce((sum, path) => sum + diskBytes(path, isCounted), 0) / 1e6).toBeLessThan(maxMegabytes)
})
