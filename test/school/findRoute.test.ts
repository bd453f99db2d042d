import { assert, constantFrom, property, string } from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createRoutes } from '../../src/engine/rest/findRoute.ts'
import { operationsIn, resources } from '../../src/school/index.ts'

const operations = operationsIn(resources)
const routes = createRoutes<string>()
for (const { id, method, path } of operations) routes.add(method, path, id)

describe('a route is found', () => {
  test.each(operations.map((operation) => [operation.id, operation] as const))('%s by its method and path', (id, { method, path }) => {
    const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name as string)
    const address = path.replace(/\{(\w+)\}/g, (_, name) => `a%20${name}%2F`)
    expect(routes.find(method, address)).toEqual({ handler: id, params: Object.fromEntries(names.map((name) => [name, `a ${name}/`])) })
    expect(routes.find(method, `${address}/`)?.handler).toBe(id)
    if (method === 'GET') expect(routes.find('HEAD', address)?.handler).toBe(id)
    expect(routes.methodsAt(address)).toContain(method)
    expect(routes.find(method, address.toUpperCase())).toBeUndefined()
  })

  test('a literal segment goes before a parameter, and a parameter matches one segment that is not empty', () => {
    const own = createRoutes<string>()
    own.add('GET', '/things/{id}', 'one')
    own.add('GET', '/things/mine', 'own')
    own.add('POST', '/things/{id}/end', 'end')
    own.add('DELETE', '/things/mine', 'delete')
    expect(own.find('GET', '/things/mine')).toEqual({ handler: 'own', params: {} })
    expect(own.find('GET', '/things/other')).toEqual({ handler: 'one', params: { id: 'other' } })
    expect(own.find('POST', '/things/mine/end')).toEqual({ handler: 'end', params: { id: 'mine' } })
    expect(own.find('GET', '/things//')).toBeUndefined()
    expect(own.find('GET', '/things/a/b')).toBeUndefined()
    expect([...own.methodsAt('/things/mine')].toSorted()).toEqual(['DELETE', 'GET', 'HEAD'])
  })
})

test('no path throws, whatever it contains', async () => {
  await assert(
    property(constantFrom('GET', 'POST', 'x'), string({ unit: 'binary' }), (method, text) => {
      expect(() => [routes.find(method, text), routes.find(method, `/api/v1/courses/${text}`), routes.methodsAt(text)]).not.toThrow()
    }),
  )
})
