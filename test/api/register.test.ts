import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { openApiDocument } from '../../src/api/openApiDocument.ts'
import { identityScopes } from '../../src/resources/identity.ts'
import { operationsIn, resources, scopeCatalogue } from '../../src/resources/index.ts'

/** Every operation that the school's API promises, a line each. */
const [head = '', ...lines] = readFileSync(new URL('operations.csv', import.meta.url), 'utf8')
  .trim()
  .split(/\r?\n/)
const columns = head.split(',')
const register = lines.map((line) => Object.fromEntries(line.split(',').map((value, index) => [columns[index] ?? '', value])))

/** Opened by a signed address and no token: a route of its own in front of the API. */
const signed = 'putUploadContent'
/** Asks for the scope of each type that it is asked for. */
const feed = 'listChanges'

const anonymous = { F: 'full', P: 'partial', N: 'none' } as Record<string, string>
const operations = operationsIn(resources)
const scopes = scopeCatalogue(resources)
const declared = operations.map((operation) => ({
  id: operation.id,
  method: operation.method,
  path: operation.path,
  scope: operation.scope,
  anonymous: operation.anonymous,
  success: operation.successStatus,
}))

test.each(declared)('$id is what the register says of it', (operation) => {
  const found = register.find(({ operation_id }) => operation_id === operation.id)
  expect(operation).toEqual({
    id: found?.operation_id,
    method: found?.method,
    path: found?.path,
    scope: found?.scope,
    anonymous: anonymous[found?.anonymous ?? ''],
    success: Number(found?.success),
  })
})

const linesOf = (all: readonly { id: string | undefined; method: string | undefined; path: string | undefined }[]): string[] =>
  all.map(({ id, method, path }) => `${id} ${method} ${path}`).sort()
const registered = (but: readonly string[]) =>
  register
    .filter(({ operation_id = '' }) => !but.includes(operation_id))
    .map(({ operation_id: id, method, path }) => ({ id, method, path }))

test('every registered operation is declared, and nothing else is', () => {
  expect(linesOf(declared)).toEqual(linesOf(registered([signed, feed])))
})

// In OpenAPI two addresses that differ in the name of a parameter alone are one.
const nameless = <One extends { path: string | undefined }>(one: One): One => ({ ...one, path: one.path?.replace(/\{\w+\}/g, '{}') })

test('the description of the API has every registered operation at its path, and nothing else', () => {
  const facts = { issuer: 'https://school.example', name: 'First', contactEmail: null, supportUrl: null }
  const { paths } = openApiDocument({ operations, scopes }, facts) as unknown as {
    paths: Record<string, Record<string, { operationId: string }>>
  }
  const described = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { operationId }]) => ({ id: operationId, method: method.toUpperCase(), path })),
  )
  expect(linesOf(described.map(nameless))).toEqual(linesOf(registered([signed]).map(nameless)))
})

test('every scope of the school opens an operation, and no operation asks for another one', () => {
  const identity = new Set(identityScopes.map(({ name }) => name))
  const ofSchool = scopes.map(({ name }) => name).filter((name) => !identity.has(name))
  expect([...new Set(declared.map(({ scope }) => scope))].sort()).toEqual(ofSchool.sort())
})
