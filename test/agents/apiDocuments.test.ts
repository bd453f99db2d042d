import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { beforeAll, describe, expect, test } from 'vitest'
import { problems } from '../../src/base/problem.ts'
import { apiPath } from '../../src/engine/declare/operations.ts'
import { isOnDemand, membersOf } from '../../src/engine/declare/views.ts'
import { makeDemoSchool } from '../../src/operate/demo/makeDemoSchool.ts'
import { operationsIn, resources, scopeCatalogue } from '../../src/school/index.ts'
import { createAgent, personCalled } from '../support/agent.ts'
import { duringTests } from '../support/duringTests.ts'
import { markdownErrors } from '../support/markdown.ts'
import { startService } from '../support/service.ts'

const run = promisify(execFile)
const operations = operationsIn(resources)
const byResource = Map.groupBy(operations, ({ resource }) => resource)
const allScopes = scopeCatalogue(resources).map(({ name }) => name)

const service = duringTests(() => startService())
let token: string
beforeAll(async () => {
  const [entry] = service.app.schools.all
  if (!entry) throw new Error('the service has no school')
  await makeDemoSchool(service.database, { school: entry.school, now: new Date(), hashPassword: async () => 'no password' })
  await service.addPerson({ email: 'reader@example.com', role: 'owner' })
  const agent = await createAgent(service.issuer)
  const { body } = await agent.tokens(personCalled('reader@example.com'), { scope: allScopes.join(' ') }, { scopes: 'all' })
  token = body.access_token
})

const read = async (path: string): Promise<string> => {
  const response = await fetch(service.issuer + path)
  expect([path, response.status]).toEqual([path, 200])
  return await response.text()
}
const callOf = ({ method, path }: { method: string; path: string }): string => `${method} ${path.slice(apiPath.length)}`
const linksIn = (text: string): string[] => [...text.matchAll(/\]\((http[^)\s]+)\)/g)].map(([, address = '']) => address)
const blocksIn = (text: string, language: string): string[] =>
  [...text.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)\\n\`\`\`$`, 'gms'))].map(([, lines = '']) => lines)

test('summaries have the article and the words of their noun', () => {
  for (const { id, summary } of operations) {
    expect([id, summary]).toEqual([
      id,
      expect.not.stringMatching(/\ba (?:[aeio]|up)|\ban (?![aeiou]|RSVP)|\b(?:a|one) staff$|rsvp|\ba RSVP/),
    ])
  }
})

describe('/api.md', () => {
  test('has each operation in one line, with its scope, and says which of them visitors may call', async () => {
    const lines = (await read('/api.md')).split('\n').filter((line) => line.startsWith('- `') && / [A-Z]|\//.test(line))
    for (const operation of operations) {
      const own = lines.filter((line) => line.startsWith(`- \`${callOf(operation)}\` `))
      const scope = `${operation.scope}${operation.anonymous === 'none' ? '' : ' or none'}: `
      expect([operation.id, own.map((line) => line.includes(scope))]).toEqual([operation.id, [true]])
      const needs = 'needsIfMatch' in operation && operation.needsIfMatch
      expect([operation.id, own.some((line) => line.includes('If-Match required'))]).toEqual([operation.id, needs !== false])
    }
    expect(lines.filter((line) => /^- `(?:GET|POST|PUT|PATCH|DELETE) /.test(line))).toHaveLength(operations.length + 2)
  })

  test('says what is not in this API, as the documents of the resources do', async () => {
    const text = await read('/api.md')
    const sentences = [...byResource.keys()].flatMap(({ name, notInApi }) => (notInApi === undefined ? [] : [{ name, notInApi }]))
    expect(sentences.map(({ name }) => name)).toEqual(['orders', 'comments', 'forms', 'form_submissions'])
    for (const { name, notInApi } of sentences) {
      expect(text).toContain(notInApi.replace('Not in this API: ', ''))
      expect((await read(`/docs/${name}.md`)).replaceAll('\\', '')).toContain(notInApi)
    }
  })

  test('links only to what answers 200', async () => {
    const links = linksIn(await read('/api.md'))
    expect(links.length).toBeGreaterThan(30)
    for (const address of links) expect([address, (await fetch(address)).status]).toEqual([address, 200])
  })
})

test('/docs/errors.md has every code with its status', async () => {
  const text = await read('/docs/errors.md')
  for (const [code, { status }] of Object.entries(problems)) expect(text).toContain(`| ${status} | \`${code}\` |`)
})

describe.each([...byResource.keys()].map((resource) => [resource.name, resource] as const))('/docs/%s.md', (_name, resource) => {
  const own = byResource.get(resource) ?? []
  const path = `/docs/${resource.name}.md`

  test('is clean Markdown, and its links answer', async () => {
    const text = await read(path)
    expect(await markdownErrors(text)).toEqual([])
    for (const address of linksIn(text)) expect([address, (await fetch(address)).status]).toEqual([address, 200])
  })

  test('names every operation, every parameter and every field', async () => {
    const text = await read(path)
    for (const operation of own) {
      expect(text).toContain(`\`${callOf(operation)}\``)
      const row = text.split('\n').find((line) => line.startsWith(`| \`${callOf(operation)}\` |`)) ?? ''
      const needs = 'needsIfMatch' in operation && operation.needsIfMatch
      expect([operation.id, row.includes('If-Match required')]).toEqual([operation.id, needs !== false])
      for (const { name, in: place } of operation.parameters) {
        if (place === 'path' || ['limit', 'cursor', 'fields', 'include'].includes(name)) continue
        const [, base = name, operator] = /^(.+?)(?:\[(\w+)\])?$/.exec(name) ?? []
        expect([name, new RegExp(`\\| \`${base}(?:\\[[a-z,]*${operator ?? ''}[a-z,]*\\])?\` \\|`).test(text)]).toEqual([name, true])
      }
    }
    if (own.every(({ kind }) => kind === 'collectionRead')) return
    for (const field of Object.keys(resource.schema.shape)) expect([field, text.includes(`| \`${field}\` |`)]).toEqual([field, true])
  })

  test('explains `or none` only if an operation has it', async () => {
    const text = await read(path)
    expect(text.includes('`or none`: visitors')).toBe(own.some(({ anonymous }) => anonymous !== 'none'))
  })

  test('has examples that work as they are printed', async () => {
    const text = await read(path)
    const responses = blocksIn(text, 'json').map((json) => JSON.parse(json))
    for (const command of blocksIn(text, 'sh')) {
      const { stdout } = await run('sh', ['-c', command], { env: { ...process.env, ACCESS_TOKEN: token } })
      const answered = JSON.parse(stdout)
      // An id of another object is an example, too: the school has no such object.
      const isAboutReference = command.includes('-d ') && ['invalid_reference', 'not_found'].includes(answered.error)
      if (!isAboutReference) expect([command, answered.error, answered.error_description]).toEqual([command, undefined, undefined])
      if (command.includes('-d ')) continue
      const [documented] = responses
      const row = answered.data?.[0] ?? (answered.object === 'list' ? undefined : answered)
      const documentedRow = documented.data?.[0] ?? documented
      const known = Object.keys(documentedRow)
      for (const field of Object.keys(row ?? {})) expect([field, known.includes(field)]).toEqual([field, true])
      const needed = Object.entries(membersOf(resource.schema)).filter(([name, field]) => !isOnDemand(field) && known.includes(name))
      if (row && command.includes('ACCESS_TOKEN')) expect(Object.keys(row).length).toBeGreaterThanOrEqual(needed.length / 2)
    }
  })
})
