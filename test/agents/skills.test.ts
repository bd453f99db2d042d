// Proves Agent Skills Discovery 0.2.0, SEP-2640: The skills are announced with their digests, and each of their commands works in a new shell

import { createHash } from 'node:crypto'
import { beforeAll, describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { estimateTokens } from '../../scripts/documentTokens.ts'
import { skills } from '../../src/agents/skill.ts'
import type { Role } from '../../src/base/caller.ts'
import { makeDemoSchool } from '../../src/operate/demo/makeDemoSchool.ts'
import { refreshSchool } from '../../src/school/analytics/rollups/refreshSchool.ts'
import { get, personCalled } from '../support/agent.ts'
import { duringTests } from '../support/duringTests.ts'
import { followSkill } from '../support/followSkill.ts'
import { blocksOf, createWorkplace } from '../support/literal.ts'
import { markdownErrors } from '../support/markdown.ts'
import { startService } from '../support/service.ts'

const index = '/.well-known/agent-skills/index.json'
const people: Record<string, Role> = { 'new.learner@example.com': 'learner', 'new.owner@example.com': 'owner' }
const names = skills.map(({ name }) => name)

interface Entry {
  name: string
  type: string
  description: string
  url: string
  digest: string
}

const service = duringTests(() => startService())
let entries: Entry[]
beforeAll(async () => {
  const [school] = service.app.schools.all
  if (!school) throw new Error('the service has no school')
  await makeDemoSchool(service.database, { school: school.school, now: new Date(), hashPassword: async () => 'no password' })
  await refreshSchool(service.database, { schoolId: service.schoolId(), now: new Date() })
  for (const [email, role] of Object.entries(people)) await service.addPerson({ email, role })
  entries = (await get(service.issuer + index)).body.skills
})

const textOf = async (url: string): Promise<string> => (await fetch(url)).text()
const frontmatterOf = (text: string): Record<string, unknown> => parse(/^---\n([\s\S]*?)\n---\n/.exec(text)?.[1] ?? '')

describe('the index of the skills (Agent Skills Discovery 0.2.0)', () => {
  test('is JSON of the version, and lists every skill', async () => {
    const { status, headers, body } = await get(service.issuer + index)
    expect([status, headers.get('content-type')]).toEqual([200, expect.stringMatching(/^application\/json/)])
    expect(body.$schema).toBe('https://schemas.agentskills.io/discovery/0.2.0/schema.json')
    expect(entries.map(({ name }) => name)).toEqual(names)
  })

  test('names each file with the digest of its bytes, and with its own name and description', async () => {
    for (const { name, type, description, url, digest } of entries) {
      const response = await fetch(url)
      expect([response.status, response.headers.get('content-type'), type]).toEqual([200, 'text/markdown; charset=utf-8', 'skill-md'])
      const bytes = Buffer.from(await response.arrayBuffer())
      expect(digest).toBe(`sha256:${createHash('sha256').update(bytes).digest('hex')}`)
      expect(frontmatterOf(bytes.toString())).toEqual({ name, description })
      expect(name).toMatch(/^[a-z0-9]+(-[a-z0-9]+)*$/)
      expect(description.length).toBeLessThan(1024)
      expect(description).toContain(service.issuer)
      expect(url).toBe(new URL(`${name}/SKILL.md`, service.issuer + index).href)
    }
  })

  test('is linked from /llms.txt and /auth.md, answers HEAD, and knows no other skill', async () => {
    for (const path of ['/llms.txt', '/auth.md']) expect(await textOf(service.issuer + path)).toContain(`(${service.issuer}${index})`)
    expect((await fetch(service.issuer + index, { method: 'HEAD' })).status).toBe(200)
    expect((await get(`${service.issuer}/.well-known/agent-skills/bake-bread/SKILL.md`)).status).toBe(404)
  })

  test('is also where scanners look, as is the skill with which everything begins', async () => {
    expect(await textOf(`${service.issuer}/.well-known/skills/index.json`)).toBe(await textOf(service.issuer + index))
    expect(await textOf(`${service.issuer}/skill.md`)).toBe(await textOf(entries[0]?.url ?? ''))
  })

  test('leaves out a skill whose feature the school has turned off', async () => {
    const own = await startService()
    await own.database.kysely
      .updateTable('school')
      .set({ features: JSON.stringify({ events: false }) })
      .execute()
    await own.reload({})
    const listed = (await get(own.issuer + index)).body.skills as Entry[]
    expect(listed.map(({ name }) => name)).toEqual(names.filter((name) => name !== 'run-an-event'))
    expect((await get(`${own.issuer}/.well-known/agent-skills/run-an-event/SKILL.md`)).status).toBe(404)
    await own.stop()
  })
})

describe.each(names)('the skill %s', (name) => {
  const email = name === 'find-and-enrol' || name === 'get-a-token' ? 'new.learner@example.com' : 'new.owner@example.com'
  let text: string
  beforeAll(async () => {
    text = await textOf(entries.find((one) => one.name === name)?.url ?? '')
  })

  test('is clean Markdown of less than 2,500 tokens, for the addresses of its school only', async () => {
    expect(await markdownErrors(text.replace(/^---\n[\s\S]*?\n---\n\n/, ''))).toEqual([])
    expect(estimateTokens(text)).toBeLessThan(2500)
    const addresses = text.match(/https?:\/\/[^\s"'`<>()]+/g) ?? []
    expect(addresses.filter((one) => !one.startsWith(service.issuer) && !one.startsWith('http://127.0.0.1:8765/callback'))).toEqual([])
  })

  test('works when its commands are followed literally, each in a new shell, and every response is the stated one', async () => {
    const place = await createWorkplace('dash', { showsStatus: true })
    try {
      const [save] = blocksOf(await textOf(`${service.issuer}/auth.md`))
      if (name !== 'get-a-token') await place.run(save?.text ?? '')
      await followSkill(place, { text, person: personCalled(email), before: letTimePass })
    } finally {
      await place.remove()
    }
  })
})

/** Time passes before the attendance is recorded: the event has begun a minute ago. */
async function letTimePass(command: string): Promise<void> {
  if (!command.includes('/attendance')) return
  const past = (minutes: number): Date => new Date(Date.now() - minutes * 60_000)
  await service.database.kysely
    .updateTable('event')
    .set({ starts_at: past(1), ends_at: past(-60) })
    .where('slug', '=', 'open-studio')
    .execute()
}
