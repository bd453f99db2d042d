import { describe, expect, test } from 'vitest'
import { databasesToTest } from '../support/databases.ts'
import { duringTests } from '../support/duringTests.ts'
import { type Reply, startDemoApi } from './demoApi.ts'

const owner = 'owner@example.com'
const admin = 'admin1@example.com'
const lecturer = 'lecturer1@example.com'
const learner = 'learner001@example.org'

describe.each(await databasesToTest())('lecturers, staff and their logins, on $name', ({ open }) => {
  const api = duringTests(async () => startDemoApi(await open()))

  const call = (
    method: string,
    path: string,
    as: string | undefined,
    body?: object,
    headers: Record<string, string> = {},
  ): Promise<Reply> => api.send(`/api/v1${path}`, { method, as, headers, ...(body && { body }) })
  const get = (path: string, as?: string) => api.get(`/api/v1${path}`, { as })
  const names = (reply: Reply, field = 'slug') => (reply.json.data as Record<string, unknown>[]).map((row) => row[field])
  let count = 0
  const made = async (fields: object = {}) => (await call('POST', '/lecturers', owner, { display_name: `Made ${++count}`, ...fields })).json

  describe('lecturers', () => {
    test('visitors see the active ones, lecturers their own profile too, staff all, each in their view', async () => {
      expect(names(await get('/lecturers?limit=100'))).not.toContain('pim-hollowell')
      expect(names(await get('/lecturers?limit=100', owner))).toContain('pim-hollowell')
      const open = (await get('/lecturers/marlo-quillfeather')).json
      expect(open).toMatchObject({
        courses_count: expect.any(Number),
        bio_html: expect.stringContaining('<p>'),
        links: [],
        expertise: ['ceramics'],
      })
      for (const field of ['email', 'position', 'staff_id', 'metadata']) expect(open).not.toHaveProperty(field)
      expect((await get('/lecturers/marlo-quillfeather', lecturer)).json).toHaveProperty('staff_id')
      expect((await get('/lecturers/tansy-brightwater', lecturer)).json).not.toHaveProperty('staff_id')
    })

    test('a text becomes safe HTML whenever it is written', async () => {
      const row = await made({ bio: 'I *throw* <script>alert(1)</script>' })
      expect(row.bio_html).toBe('<p>I <em>throw</em> &lt;script&gt;alert(1)&lt;/script&gt;</p>\n')
      const changed = await call('PATCH', `/lecturers/${String(row.id)}`, owner, { bio: '<b onclick="x()">Hi</b>', bio_format: 'html' })
      expect(changed.json.bio_html).toBe('<b>Hi</b>')
    })

    test('a lecturer changes their own profile and no other, and not what is for staff', async () => {
      const { id } = (await get('/lecturers/marlo-quillfeather', lecturer)).json
      expect((await call('PATCH', `/lecturers/${String(id)}`, lecturer, { headline: 'Pots' })).json.headline).toBe('Pots')
      expect((await call('PATCH', `/lecturers/${String(id)}`, lecturer, { featured: false })).json.error).toBe('read_only_field')
      const other = (await get('/lecturers/tansy-brightwater', lecturer)).json
      expect((await call('PATCH', `/lecturers/${String(other.id)}`, lecturer, { headline: 'x' })).json.error).toBe('access_denied')
      expect((await call('POST', '/lecturers', lecturer, { display_name: 'x' })).json.error).toBe('access_denied')
      for (const verb of ['hide', 'archive', 'restore', 'show'])
        expect((await call('POST', `/lecturers/${String(id)}/${verb}`, lecturer, {})).json.error).toBe('access_denied')
    })

    const transitions: Record<string, Record<string, string>> = {
      active: { hide: 'hidden', show: 'active', archive: 'archived', restore: 'active' },
      hidden: { hide: 'hidden', show: 'active', archive: 'archived', restore: 'hidden' },
      archived: { hide: 'invalid_state', show: 'invalid_state', archive: 'archived', restore: 'active' },
    }
    test.each(Object.entries(transitions).flatMap(([from, verbs]) => Object.entries(verbs).map(([verb, to]) => [from, verb, to] as const)))(
      'from %s, %s leads to %s',
      async (from, verb, to) => {
        const { id } = await made()
        if (from !== 'active') await call('POST', `/lecturers/${String(id)}/${from === 'hidden' ? 'hide' : 'archive'}`, owner, {})
        const { json } = await call('POST', `/lecturers/${String(id)}/${verb}`, owner, {})
        expect(json.error ?? json.status).toBe(to)
      },
    )

    test('the only lecturer of a published course cannot be archived, and the error names the course', async () => {
      const row = (await get('/lecturers/corvin-ashgrove', owner)).json
      const refused = await call('POST', `/lecturers/${String(row.id)}/archive`, owner, {})
      expect(refused).toMatchObject({ status: 409, json: { error: 'resource_in_use' } })
      expect((refused.json.details as { meta: { course: string } }[])[0]?.meta.course).toMatch(/^[a-z-]+$/)
    })

    test('a lecturer with courses cannot be deleted; an unused one can', async () => {
      const { id } = await made()
      expect((await call('DELETE', `/lecturers/${String(id)}`, owner)).status).toBe(204)
      const taught = (await get('/lecturers/corvin-ashgrove', owner)).json
      expect((await call('DELETE', `/lecturers/${String(taught.id)}`, owner)).json.error).toBe('resource_in_use')
    })

    test('courses of a lecturer are listed under them and put in where they are asked for', async () => {
      const listed = names(await get('/lecturers/marlo-quillfeather/courses'))
      expect(listed).toContain('clay-from-scratch')
      expect((await get('/lecturers/pim-hollowell/courses')).status).toBe(404)
      const expanded = (await get('/lecturers/marlo-quillfeather?expand=courses')).json as {
        courses: { data: { slug: string }[] }
        courses_count: number
      }
      expect(expanded.courses.data.map(({ slug }) => slug).toSorted()).toEqual(listed.toSorted())
      expect(expanded.courses_count).toBe(listed.length)
      const { id } = (await get('/courses/clay-from-scratch')).json
      expect(names(await get(`/lecturers?course_id=${String(id)}`))).toContain('marlo-quillfeather')
    })

    test('lecturers of a course are put in whole, in the place of their summary', async () => {
      const { lecturers } = (await get('/courses/clay-from-scratch?expand=lecturers')).json as {
        lecturers: { data: object[]; has_more: boolean }
      }
      expect(lecturers.data).toMatchObject([{ object: 'lecturer', slug: 'marlo-quillfeather', bio_html: expect.stringContaining('<p>') }])
      expect(lecturers.has_more).toBe(false)
    })

    test('the order that staff give is the order of the list, and those who are not named follow', async () => {
      const before = (await get('/lecturers?limit=100&sort=position', owner)).json.data as { id: string; slug: string }[]
      const wanted = [before[3], before[0]].map((row) => row?.id as string)
      expect((await call('PUT', '/lecturers/positions', admin, { lecturer_ids: wanted })).status).toBe(204)
      const after = (await get('/lecturers?limit=100&sort=position', owner)).json.data as { id: string }[]
      expect(after.map(({ id }) => id)).toEqual([...wanted, ...before.map(({ id }) => id).filter((id) => !wanted.includes(id))])
      expect((await call('PUT', '/lecturers/positions', admin, { lecturer_ids: [wanted[0], wanted[0]] })).status).toBe(422)
      const unknown = await call('PUT', '/lecturers/positions', admin, { lecturer_ids: ['lec_01jgwejj00e6srgkpqm2sqf05m'] })
      expect(unknown.json.details).toMatchObject([{ field: 'lecturer_ids.0', code: 'invalid_reference' }])
    })
  })

  describe('staff', () => {
    const staffOf = async (email: string) =>
      (
        (await get('/school/staff?limit=100', owner)).json.data as { id: string; role: string; status: string; person: { email: string } }[]
      ).find(({ person }) => person.email === email)

    test('the staff see all staff, a lecturer sees only themselves, a learner sees no one', async () => {
      expect((await get('/school/staff?limit=100', admin)).json.data).toHaveLength(8)
      expect((await get('/school/staff', lecturer)).json.data).toMatchObject([{ person: { email: lecturer }, role: 'lecturer' }])
      expect((await get('/school/staff', learner)).json.error).toBe('access_denied')
      expect((await get('/school/staff')).json.error).toBe('access_denied')
    })

    test('a person with a login becomes staff immediately, others once they sign up; both get an e-mail', async () => {
      const here = await call('POST', '/school/staff', owner, { email: 'Learner002@example.org', role: 'admin' })
      expect(here).toMatchObject({ status: 201, json: { status: 'active', role: 'admin', person: { email: 'learner002@example.org' } } })
      const away = await call('POST', '/school/staff', admin, { email: 'new.face@example.com', role: 'lecturer' })
      expect(away).toMatchObject({ status: 201, json: { status: 'invited', accepted_at: null } })
      const invitations = (await api.messages()).filter(({ kind }) => kind === 'staff_invited')
      expect(invitations.map(({ to, links }) => [to, new URL((links as { link: string }).link).pathname])).toEqual([
        ['learner002@example.org', '/account/sign-in'],
        ['new.face@example.com', '/account/sign-up'],
      ])
      const again = await call('POST', '/school/staff', owner, { email: 'new.face@example.com', role: 'lecturer' })
      expect(again).toMatchObject({ status: 409, json: { error: 'email_taken', details: [{ meta: { existing_id: away.json.id } }] } })
      expect((await call('POST', '/school/staff', owner, { email: 'no address', role: 'admin' })).status).toBe(422)
      expect((await call('POST', '/school/staff', owner, { role: 'admin' })).json.details).toMatchObject([
        { field: 'email', code: 'required' },
      ])
    })

    test('an admin can neither appoint nor change owners and admins', async () => {
      for (const role of ['owner', 'admin'])
        expect((await call('POST', '/school/staff', admin, { email: `${role}.x@example.com`, role })).json.error).toBe('access_denied')
      const [boss, colleague, teacher] = [await staffOf(owner), await staffOf('admin2@example.com'), await staffOf('lecturer2@example.com')]
      for (const row of [boss, colleague]) {
        expect((await call('PATCH', `/school/staff/${row?.id}`, admin, { role: 'lecturer' })).json.error).toBe('access_denied')
        expect((await call('DELETE', `/school/staff/${row?.id}`, admin)).json.error).toBe('access_denied')
      }
      expect((await call('PATCH', `/school/staff/${teacher?.id}`, admin, { role: 'admin' })).json.error).toBe('access_denied')
      expect((await call('PATCH', `/school/staff/${teacher?.id}`, lecturer, { role: 'owner' })).json.error).toBe('access_denied')
    })

    test('people cannot change their own role, and the last owner remains', async () => {
      const boss = await staffOf(owner)
      expect((await call('PATCH', `/school/staff/${boss?.id}`, owner, { role: 'admin' })).json.error).toBe('self_change')
      expect((await call('DELETE', `/school/staff/${boss?.id}`, owner)).json.error).toBe('self_change')
      const second = await call('POST', '/school/staff', owner, { email: 'learner003@example.org', role: 'owner' })
      expect((await call('PATCH', `/school/staff/${boss?.id}`, 'learner003@example.org', { role: 'admin' })).json.role).toBe('admin')
      expect((await call('PATCH', `/school/staff/${String(second.json.id)}`, owner, { role: 'admin' })).json.error).toBe('access_denied')
      expect((await call('PATCH', `/school/staff/${boss?.id}`, 'learner003@example.org', { role: 'owner' })).json.role).toBe('owner')
      expect((await call('DELETE', `/school/staff/${String(second.json.id)}`, owner)).status).toBe(204)
    })

    test('when two owners remove each other concurrently, one stays', async () => {
      const boss = await staffOf(owner)
      const second = await call('POST', '/school/staff', owner, { email: 'learner004@example.org', role: 'owner' })
      const both = await Promise.all([
        call('PATCH', `/school/staff/${boss?.id}`, 'learner004@example.org', { role: 'admin' }),
        call('PATCH', `/school/staff/${String(second.json.id)}`, owner, { role: 'admin' }),
      ])
      expect(both.filter(({ status }) => status === 200)).toHaveLength(1)
      const owners = (await get('/school/staff?role=owner&status=active', 'admin2@example.com')).json.data as {
        person: { email: string }
      }[]
      expect(owners).toHaveLength(1)
      const left = owners[0]?.person.email as string
      await call('PATCH', `/school/staff/${boss?.id}`, left, { role: 'owner' })
      await call('PATCH', `/school/staff/${String(second.json.id)}`, owner, { role: 'lecturer' })
    })

    test.each([
      ['without a person', 'new-colleague@example.com'],
      ['who has a login', 'learner007@example.org'],
    ])('of concurrent invitations of one person %s, one is accepted and the others say that they are staff', async (_who, email) => {
      const replies = await Promise.all(Array.from({ length: 5 }, () => call('POST', '/school/staff', owner, { email, role: 'lecturer' })))
      expect(replies.map(({ status, json }) => [status, json.error]).toSorted()).toEqual([
        [201, undefined],
        ...Array(4).fill([409, 'email_taken']),
      ])
    })

    test('of concurrent links of one person to several profiles, one is accepted', async () => {
      const profiles = await Promise.all(Array.from({ length: 4 }, made))
      const link = ({ id }: { id?: unknown }) => call('POST', `/lecturers/${String(id)}/link`, admin, { email: 'learner008@example.org' })
      const replies = await Promise.all(profiles.map(link))
      expect(replies.map(({ status, json }) => [status, json.error]).toSorted()).toEqual([
        [200, undefined],
        ...Array(3).fill([409, 'invalid_state']),
      ])
    })

    test('of concurrent invitations of several people to one profile, one is accepted; the others can be repeated and then get the reason', async () => {
      const { id: lecturer_id } = await made()
      const invite = (who: number) =>
        call('POST', '/school/staff', owner, { email: `applicant${who}@example.com`, role: 'lecturer', lecturer_id })
      const first = await Promise.all(Array.from({ length: 5 }, (_, who) => invite(who)))
      expect(first.filter(({ status }) => status === 201)).toHaveLength(1)
      for (const [who, { status }] of first.entries()) {
        if (status === 201) continue
        expect([422, 503]).toContain(status)
        expect((await invite(who)).json.details).toMatchObject([{ field: 'lecturer_id', code: 'not_allowed' }])
      }
    })

    test('removed staff lose access with the next request, and can be invited again', async () => {
      const row = await staffOf('admin2@example.com')
      expect((await get('/courses/paper-marbling', 'admin2@example.com')).status).toBe(200)
      expect((await call('DELETE', `/school/staff/${row?.id}`, owner)).status).toBe(204)
      expect((await get('/courses/paper-marbling', 'admin2@example.com')).status).toBe(404)
      expect((await staffOf('admin2@example.com'))?.status).toBe('removed')
      expect((await call('POST', '/school/staff', owner, { email: 'admin2@example.com', role: 'admin' })).status).toBe(201)
      expect((await get('/courses/paper-marbling', 'admin2@example.com')).status).toBe(200)
    })
  })

  describe('the login of a lecturer', () => {
    test('a person is linked, teaches under the profile, and is unlinked', async () => {
      const { id, slug } = await made()
      const linked = await call('POST', `/lecturers/${String(id)}/link`, admin, { email: 'learner005@example.org' })
      expect(linked).toMatchObject({ status: 200, json: { staff_id: expect.stringMatching(/^stf_/) } })
      expect((await get(`/lecturers/${String(slug)}`, 'learner005@example.org')).json).toHaveProperty('staff_id')
      expect((await call('POST', `/lecturers/${String(id)}/link`, admin, { email: 'learner005@example.org' })).status).toBe(200)
      expect((await call('POST', `/lecturers/${String(id)}/link`, admin, { email: 'learner006@example.org' })).json.error).toBe(
        'invalid_state',
      )
      const other = await made()
      expect((await call('POST', `/lecturers/${String(other.id)}/link`, admin, { email: 'learner005@example.org' })).json.error).toBe(
        'invalid_state',
      )
      expect((await call('DELETE', `/lecturers/${String(id)}/link`, admin)).status).toBe(204)
      expect((await get(`/lecturers/${String(slug)}`, 'learner005@example.org')).json).not.toHaveProperty('staff_id')
      expect((await get('/school/staff', 'learner005@example.org')).json.error).toBe('access_denied')
    })

    test('a profile has one login, also for invited staff', async () => {
      const marlo = (await get('/lecturers/marlo-quillfeather', owner)).json
      const refused = await call('POST', '/school/staff', owner, { email: 'x@example.com', role: 'lecturer', lecturer_id: marlo.id })
      expect(refused.json.details).toMatchObject([{ field: 'lecturer_id', code: 'not_allowed' }])
      const nobody = await call('POST', '/school/staff', owner, {
        email: 'x@example.com',
        role: 'lecturer',
        lecturer_id: 'lec_01jgwejj00e6srgkpqm2sqf05m',
      })
      expect(nobody.json.details).toMatchObject([{ field: 'lecturer_id', code: 'invalid_reference' }])
    })
  })
})
