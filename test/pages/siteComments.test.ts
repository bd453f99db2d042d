import { expect, test } from 'vitest'
import { fromPublicId } from '../../src/base/ids.ts'
import { inSchool } from '../../src/database/school/inSchool.ts'
import { addComment } from '../../src/school/comments/addComment.ts'
import { duringTests } from '../support/duringTests.ts'
import { startService } from '../support/service.ts'
import { signedIn } from './account/account.ts'
import { createBrowser } from './browser.ts'
import { asMarkdown, siteOwner } from './siteVisitor.ts'

const service = duringTests(() => startService())
const owner = duringTests(() => siteOwner(service))

async function post(fields: object = {}): Promise<{ id: string; path: string }> {
  const { id, slug } = await owner.call('POST', '/posts', { title: 'Firing', content: 'Hot.', ...fields })
  await owner.call('POST', `/posts/${id}/publish`, {})
  return { id: String(id), path: `/posts/${slug}` }
}
const comment = (subject: string, body: string, more: { parentId?: string; status?: 'pending' } = {}) =>
  service.database.transaction((writer) =>
    addComment(inSchool(writer, service.schoolId()), {
      ...{ schoolId: service.schoolId(), now: new Date(), author: { email: 'wren@example.org', name: 'Wren <b>Tidewell</b>' } },
      ...{ subject: { type: 'post', id: fromPublicId('pst', subject) ?? '' }, body, status: 'published', ...more },
    }),
  )
const pageFor = async (path: string, email?: string) => {
  const browser = email === undefined ? createBrowser(service.issuer) : await signedIn(service, email)
  return (await browser.get(path)).html
}

test('a post shows its published comments as text, each reply inside its comment, and nothing of those that wait', async () => {
  const { id, path } = await post()
  expect(await pageFor(path)).not.toContain('<ol class="comments">')
  const first = await comment(id, 'Ours **cracked**. <script>alert(1)</script>')
  await comment(id, 'Which clay?')
  await comment(id, 'Porcelain.', { parentId: first.id })
  await comment(id, 'Waiting for a moderator', { status: 'pending' })
  const html = await pageFor(path)
  const places = ['Comments</h2>', '<strong>cracked</strong>', 'Porcelain.', 'Which clay?'].map((text) => html.indexOf(text))
  expect(places).toEqual(places.toSorted((one, other) => one - other))
  expect(places[0]).toBeGreaterThan(0)
  expect(html.match(/<ol class="comments">/g)).toHaveLength(2)
  expect(html).toContain('<bdi>Wren &lt;b&gt;Tidewell&lt;/b&gt;</bdi>')
  for (const text of ['Waiting for', '<script>alert', '<b>Tidewell']) expect(html).not.toContain(text)
  // The moderators see the page as others do: they moderate through the API.
  await service.addPerson({ email: 'admin@example.org', role: 'admin' })
  expect(await pageFor(path, 'admin@example.org')).not.toContain('Waiting for')
  const markdown = await (await fetch(service.issuer + path, { headers: asMarkdown })).text()
  expect(markdown).toMatch(/## Comments\n\n### Wren .*\n\n> Ours cracked\. /)
})

test('comments on a post for members are shown to members only', async () => {
  const { id, path } = await post({ visibility: 'members' })
  await comment(id, 'Only for us')
  await service.addPerson({ email: 'member@example.org' })
  await service.database.sql.query(`UPDATE person SET is_member = true, member_status = 'active' WHERE email = 'member@example.org'`)
  expect(await pageFor(path)).not.toContain('Only for us')
  expect(await pageFor(path, 'member@example.org')).toContain('Only for us')
})

test('a post without comments, and a school that turned them off, show none', async () => {
  const [quiet, open] = [await post({ comments_enabled: true }), await post()]
  for (const { id } of [quiet, open]) await comment(id, 'Said before')
  await owner.call('PATCH', `/posts/${quiet.id}`, { comments_enabled: false }, { 'if-match': '*' })
  expect([(await pageFor(quiet.path)).includes('Said before'), (await pageFor(open.path)).includes('Said before')]).toEqual([false, true])
  await owner.call('PATCH', '/school', { settings: { comments_enabled: false } }, { 'if-match': '*' })
  expect(await pageFor(open.path)).not.toContain('Said before')
})
