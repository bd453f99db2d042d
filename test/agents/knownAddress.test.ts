import { beforeAll, expect, test } from 'vitest'
import type { Role } from '../../src/base/caller.ts'
import { makeDemoSchool } from '../../src/operate/demo/makeDemoSchool.ts'
import { refreshSchool } from '../../src/school/analytics/rollups/refreshSchool.ts'
import { personCalled } from '../support/agent.ts'
import { duringTests } from '../support/duringTests.ts'
import { followSkill } from '../support/followSkill.ts'
import { blocksOf, createWorkplace, differences } from '../support/literal.ts'
import { startService } from '../support/service.ts'

const people: Record<string, Role> = { 'ada@example.com': 'learner', 'grace@example.com': 'owner' }

const service = duringTests(() => startService())
beforeAll(async () => {
  const [school] = service.app.schools.all
  if (!school) throw new Error('the service has no school')
  await makeDemoSchool(service.database, { school: school.school, now: new Date(), hashPassword: async () => 'no password' })
  await refreshSchool(service.database, { schoolId: service.schoolId(), now: new Date() })
  for (const [email, role] of Object.entries(people)) await service.addPerson({ email, role })
})

test.each([
  ['ada@example.com', 'learner', /enrol/, 'lessons'],
  ['grace@example.com', 'owner', /[Rr]evenue/, 'lessons'],
] as const)('an agent that knows only the address gets a token and data for %s, as %s', async (email, role, task, member) => {
  const place = await createWorkplace('dash', { showsStatus: true })
  const fetched = async (url: string): Promise<string> => (await place.run(`curl -sS '${url}'`)).out
  /** Returns the URL of the first link to a path in a text. */
  const linkTo = (text: string, path: string): string => {
    const found = (text.match(/https?:\/\/[^\s<>()"'`]+/g) ?? []).find((url) => URL.parse(url)?.pathname === path)
    if (!found) throw new Error(`no link to ${path} in ${text.slice(0, 500)}`)
    return found
  }
  try {
    const home = await place.run(`curl -sS -D - '${service.issuer}/'`)
    expect(home.out).toMatch(/^HTTP\/1\.1 200 /)
    expect(home.out).toMatch(/^content-type: text\/markdown/im)
    const page = await fetched(linkTo(home.out, '/auth.md'))

    // The page, literally: save the script, ask for access, pass on the address, call.
    const commands = blocksOf(page).filter(({ language, text }) => language === 'sh' && !text.startsWith('#!'))
    const commandWith = (part: string): string => commands.find(({ text }) => text.includes(part))?.text ?? ''
    await place.run(commands[0]?.text ?? '')
    const url = (await place.run(commandWith("sh school.sh begin '"))).out.trim()
    const redirect = await personCalled(email).authorize(url)
    const paste = commandWith("school.sh finish '").replace(/'.*'/, `'${redirect.href}'`)
    expect((await place.run(paste)).out).toMatch(/^granted: [\w: ]+\n$/)
    const { out } = await place.run(commandWith('Authorization: Bearer'))
    expect(JSON.parse(out)).toMatchObject({ object: 'account', email, membership: { roles: [role] } })
    const sample = blocksOf(page).find(({ language }) => language === 'json')?.text ?? ''
    expect(differences(JSON.parse(out), JSON.parse(sample))).toEqual([])

    // A task: the index of the skills leads to the one whose description fits.
    const { skills } = JSON.parse(await fetched(linkTo(page, '/.well-known/agent-skills/index.json')))
    const skill = skills.find(({ description }: { description: string }) => task.test(description))
    const last = await followSkill(place, { text: await fetched(skill.url), person: personCalled(email) })
    expect(JSON.parse(last)[member].length).toBeGreaterThan(0)
  } finally {
    await place.remove()
  }
})
