import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { expect, test } from 'vitest'

interface LockedPackage {
  resolved?: string
  integrity?: string
  link?: boolean
  hasInstallScript?: boolean
}

const read = (file: string) => JSON.parse(readFileSync(resolve(import.meta.dirname, '../..', file), 'utf8'))
const manifest: { allowScripts: Record<string, boolean> } = read('package.json')
const lockedIn = (file: string) => Object.entries(read(file).packages as Record<string, LockedPackage>).filter(([path]) => path !== '')
const locked = lockedIn('package-lock.json')
const nameOf = (path: string): string => path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length)

/** Packages without a SHA-512 checksum, links, and packages that come from git, a file or another host. */
const unverified = (packages: [string, LockedPackage][]): string[] =>
  packages
    .filter(
      ([, { resolved, integrity, link }]) =>
        link === true ||
        !integrity?.startsWith('sha512-') ||
        !(resolved ?? 'https://registry.npmjs.org/').startsWith('https://registry.npmjs.org/'),
    )
    .map(([path]) => path)

test('every locked package has a checksum and comes from the registry', () => {
  expect(locked.length).toBeGreaterThan(100)
  expect(unverified([...locked, ...lockedIn('test/clients/package-lock.json')])).toEqual([])
  const sum = { integrity: 'sha512-x' }
  expect(
    unverified([
      ['a', {}],
      ['b', { integrity: 'sha1-x' }],
      ['c', { ...sum, resolved: 'git+ssh://git@example.com/c.git' }],
      ['d', { ...sum, link: true }],
      ['e', sum],
    ]),
  ).toEqual(['a', 'b', 'c', 'd'])
})

test('the packages that may run a script during the installation are listed', () => {
  const withScript = new Set(locked.filter(([, { hasInstallScript }]) => hasInstallScript).map(([path]) => nameOf(path)))
  expect([...withScript].filter((name) => !(name in manifest.allowScripts))).toEqual([])
  expect(Object.entries(manifest.allowScripts).filter(([, isAllowed]) => isAllowed)).toEqual([['node', true]])
})
