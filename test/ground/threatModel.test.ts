import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { describe, expect, test } from 'vitest'
import { variables } from '../../src/config/environment.ts'

const root = resolve(import.meta.dirname, '../..')
const read = (file: string): string => readFileSync(resolve(root, file), 'utf8')
const model = read('docs/threat-model.md')

/** The rows of a table, by the heading above it: the texts of its cells. */
function rowsUnder(heading: string): string[][] {
  const section = model.split(/^## /m).find((text) => text.startsWith(`${heading}\n`)) ?? ''
  const [, , ...rows] = section.split('\n').filter((line) => line.startsWith('|'))
  return rows.map((line) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  )
}

describe('docs/threat-model.md', () => {
  test('states for each asset what protects it and what does not', () => {
    const assets = rowsUnder('Assets')
    expect(assets.length).toBeGreaterThan(15)
    for (const cells of assets) {
      expect(cells).toHaveLength(3)
      for (const cell of cells) expect(cell.length, cells[0]).toBeGreaterThan(4)
    }
    expect(new Set(assets.map(([asset]) => asset)).size).toBe(assets.length)
  })

  test('has an asset for each purpose for which the service derives a key', () => {
    const type = /export type KeyPurpose =\n((?: {2}\| '[^']+'\n)+)/.exec(read('src/base/keyring.ts'))?.[1] ?? ''
    const purposes = [...type.matchAll(/'([^']+)'/g)].map(([, purpose]) => purpose)
    expect(purposes.length).toBeGreaterThan(10)
    const named = new Set(
      rowsUnder('Assets').flatMap(([, protection = '']) => [...protection.matchAll(/`([^`]+)`/g)].map(([, name]) => name)),
    )
    expect(purposes.filter((purpose) => !named.has(purpose))).toEqual([])
  })

  test('names only settings that exist', () => {
    const settings = rowsUnder('Operators decide').map(([setting = '']) => /`([\w.]+)/.exec(setting)?.[1] ?? '')
    const documented = read('config/README.md')
    expect(settings.length).toBeGreaterThan(4)
    const isKnown = (name: string): boolean => name in variables || name.split('.').every((part) => documented.includes(part))
    expect(settings.filter((name) => !isKnown(name))).toEqual([])
  })
})

test('SECURITY.md names commands that the program has, and no address that nobody reads', () => {
  const text = read('SECURITY.md')
  const commands = [...text.matchAll(/`schoolgate (\w+) ([\w-]+)/g)].map(([, group, command]) => [group, command] as const)
  expect(commands.length).toBeGreaterThan(3)
  const documented = `${read('docs/operate.md')}\n${read('docs/deploy.md')}`
  for (const [group, command] of commands) expect(documented).toContain(`${group} ${command}`)
  expect(text.match(/[\w.+-]+@[\w-]+\.\w+/g)).toBeNull()
})
