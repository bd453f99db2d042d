import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { identityScopes } from '../../src/school/account/identity.ts'
import { operationsIn, resources, scopeCatalogue } from '../../src/school/index.ts'
import { openApiDocument } from '../support/openApi.ts'

/** Lists every operation that the school's API promises, one per line. */
const [head = '', ...lines] = readFileSync(new URL('operations.csv', import.meta.url), 'utf8')
  .trim()
  .split(/\r?\n/)
const columns = head.split(',')
const register = lines.map((line) => Object.fromEntries(line.split(',').map((value, index) => [columns[index] ?? '', value])))

/** Routes outside of the declarations: one is authorised by its signed URL, the others by the read scope of each type. */
const signed = 'putUploadContent'
const acrossTypes = ['listChanges', 'listSearchResults']

const operations = operationsIn(resources)
const scopes = scopeCatalogue(resources)
const declared = operations.map(({ id, method, path, scope }) => ({ id, method, path, scope }))

test('the register is what the declarations promise', () => {
  const { stderr, status } = spawnSync(process.execPath, ['scripts/operations.ts', '--check'], { encoding: 'utf8' })
  expect(stderr).toBe('')
  expect(status).toBe(0)
})

const linesOf = (all: readonly { id: string | undefined; method: string | undefined; path: string | undefined }[]): string[] =>
  all.map(({ id, method, path }) => `${id} ${method} ${path}`).sort()
const registered = (but: readonly string[]) =>
  register
    .filter(({ operation_id = '' }) => !but.includes(operation_id))
    .map(({ operation_id: id, method, path }) => ({ id, method, path }))

test('every registered operation is declared, and no other', () => {
  expect(linesOf(declared)).toEqual(linesOf(registered([signed, ...acrossTypes])))
})

// In OpenAPI two addresses that differ in the name of a parameter alone are one.
const nameless = <One extends { path: string | undefined }>(one: One): One => ({ ...one, path: one.path?.replace(/\{\w+\}/g, '{}') })

test('the OpenAPI document has every registered operation at its path, and no other', () => {
  const facts = { issuer: 'https://school.example', name: 'First', contactEmail: null, supportUrl: null }
  const { paths } = openApiDocument({ operations, scopes }, facts) as unknown as {
    paths: Record<string, Record<string, { operationId: string }>>
  }
  const described = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { operationId }]) => ({ id: operationId, method: method.toUpperCase(), path })),
  )
  expect(linesOf(described.map(nameless))).toEqual(linesOf(registered([signed]).map(nameless)))
})

test('every scope is needed by an operation, and every operation needs a known scope', () => {
  const identity = new Set(identityScopes.map(({ name }) => name))
  const schoolScopes = scopes.map(({ name }) => name).filter((name) => !identity.has(name))
  expect([...new Set(declared.map(({ scope }) => scope))].sort()).toEqual(schoolScopes.sort())
})
