import { expect, test } from 'vitest'
import { fromPublicId } from '../../src/base/ids.ts'
import { allScopes, createAgent, personCalled } from '../support/agent.ts'
import { duringTests } from '../support/duringTests.ts'
import { startService } from '../support/service.ts'
import { asHtml, siteOwner } from './siteVisitor.ts'

const service = duringTests(() => startService())

const wrong = 'javascript:alert(1)//'

test('the language of a course is a BCP 47 tag, and a course with other stored text is shown and can be changed', async () => {
  const { call } = await siteOwner(service)
  const lecturer = await call('POST', '/lecturers', { display_name: 'Marlo' })
  const { id } = await call('POST', '/courses', { title: 'Clay', slug: 'clay', language: 'de-AT', lecturer_ids: [lecturer.id] })
  const section = await call('POST', `/courses/${id}/sections`, { title: 'First pots' })
  const lesson = await call('POST', `/sections/${section.id}/lessons`, { title: 'Wedging', kind: 'text', content: 'Knead.' })
  await call('POST', `/lessons/${lesson.id}/publish`, {})
  await call('POST', `/courses/${id}/publish`, {})

  const email = 'second-owner@example.com'
  await service.addPerson({ email, role: 'owner' })
  const agent = await createAgent(service.issuer)
  const { access_token: token } = (await agent.tokens(personCalled(email), { scope: allScopes }, { scopes: 'all' })).body
  const refused = async (method: string, path: string, body: object) => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
    const response = await fetch(`${service.issuer}/api/v1${path}`, { method, headers, body: JSON.stringify(body) })
    return [response.status, Object(await response.json()).details?.[0]?.message]
  }
  const rule = (field: string) => [422, expect.stringMatching(`^${field}: must be a BCP 47 tag such as en or de-AT`)]
  expect(await refused('PATCH', `/courses/${id}`, { language: wrong })).toEqual(rule('language'))
  expect(await refused('POST', '/courses', { title: 'Wood', language: wrong })).toEqual(rule('language'))
  const media = { captions: [{ language: wrong, file_id: 'fil_00000000000000000000000000' }] }
  expect(await refused('PATCH', `/lessons/${lesson.id}`, { media })).toEqual(rule('media.captions.0.language'))

  await service.database.sql.query('UPDATE course SET language = $2 WHERE id = $1', [fromPublicId('crs', String(id)), wrong])
  expect(await call('PATCH', `/courses/${id}`, { subtitle: 'Pots' }, { 'if-match': '*' })).toMatchObject({
    language: wrong,
    subtitle: 'Pots',
  })
  expect((await fetch(`${service.issuer}/courses/clay`, { headers: asHtml })).status).toBe(200)
})
