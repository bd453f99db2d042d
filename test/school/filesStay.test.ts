import { beforeAll, expect, test } from 'vitest'
import type { z } from 'zod'
import { fromPublicId, newId, toPublicId } from '../../src/base/ids.ts'
import { markupLimitsText } from '../../src/base/text/markupLimits.ts'
import type { MissingFile } from '../../src/database/files/missingFiles.ts'
import { type Operation, undoOf } from '../../src/engine/declare/operations.ts'
import { isArray, isObjectSchema, isUnion, membersOf, optionsOf, unwrapped, writeForm } from '../../src/engine/declare/views.ts'
import { sweepJobs } from '../../src/operate/jobs/sweepJobs.ts'
import { newComment } from '../support/community.ts'
import { type FileRow, newFile, noStorage } from '../support/files.ts'
import { newSchool } from '../support/rows.ts'
import type { DemoApi, Reply, SendOptions } from './demoApi.ts'
import { createSubjects, type Subjects } from './derived/createSubjects.ts'
import { actor, actorOf, everyWrite, inputOf, namesRow, withMatch } from './derived/everyWrite.ts'
import { validObject } from './derived/validValue.ts'
import { describeDemo } from './describeDemo.ts'

/** Whatever can name a file in a request: its path, and how a value of the field at its top names one. */
interface Naming {
  path: string
  value(file: string): Promise<unknown>
}

/** Returns the ways in which a value of the schema can name a file: as rich text, or by its id. */
function namingsOf(schema: z.ZodType, path: string, isRich: boolean): Naming[] {
  const inner = unwrapped(schema)
  const meta = { ...inner.meta(), ...schema.meta() }
  if (isRich || meta.description?.includes(markupLimitsText))
    return [{ path, value: async (file) => `Look: ![A kiln](/files/${file}/kiln.webp)` }]
  if (meta.idPrefix === 'fil' || String(meta.example).startsWith('fil_')) return [{ path, value: async (file) => file }]
  if (isArray(inner))
    return namingsOf(inner.element, `${path}[]`, false).map(({ value, ...rest }) => ({
      ...rest,
      value: async (file) => [await value(file)],
    }))
  if (isUnion(inner)) return optionsOf(inner).flatMap((option) => namingsOf(option, path, false))
  if (!isObjectSchema(inner)) return []
  const type = membersOf(inner).type?.meta()?.example ?? ''
  return Object.entries(membersOf(inner)).flatMap(([name, member]) =>
    member.meta()?.readOnly === true
      ? []
      : namingsOf(member, `${path}${type === '' ? '' : `(${type})`}.${name}`, `${name}_format` in membersOf(inner)).map((naming) => ({
          path: naming.path,
          value: async (file: string) => {
            // Captions belong to a video.
            const named = { [name]: await naming.value(file), ...(name === 'captions' && { embed_url: 'https://vimeo.com/76979871' }) }
            if (writeForm(inner, 'staff').safeParse(named).success) return named
            const others = await validObject(inner, async (prefix) => (prefix === 'fil' ? file : undefined)).catch(() => ({}))
            return { ...others, ...('external_id' in others && { external_id: newId() }), ...named }
          },
        })),
  )
}

/** Returns the fields of a request of the operation in which a file can be named. */
function namings(operation: Operation): { field: string; naming: Naming }[] {
  const { kind, resource } = operation
  if (kind === 'create' && operation.rules.takes) return []
  const own = resource.writable.filter(({ isCreateOnly, isUpdateOnly }) => (kind === 'create' ? !isUpdateOnly : !isCreateOnly))
  const fields =
    kind === 'update' || (kind === 'create' && !operation.rules.input)
      ? { ...Object.fromEntries(own.map(({ field }) => [field, resource.schema.shape[field]])), ...resource.inputs }
      : ((kind === 'create' ? operation.rules.input : inputOf(operation))?.shape ?? {})
  return Object.entries(fields as Record<string, z.ZodType>).flatMap(([field, schema]) =>
    namingsOf(schema, field, `${field}_html` in resource.schema.shape).map((naming) => ({ field, naming })),
  )
}

const cases = everyWrite.flatMap((operation) => namings(operation).map((one) => ({ operation, ...one })))

/** A field accepts one of these. */
const kinds: FileRow[] = [
  {},
  { purpose: 'avatar' },
  { purpose: 'digital_product', visibility: 'private' },
  { purpose: 'captions', visibility: 'private' },
]

describeDemo('files that rows name, on $name', (api) => {
  let subjects: Subjects
  const missing: MissingFile[] = []
  beforeAll(async () => {
    subjects = createSubjects(api)
    await api.database.sql.query("UPDATE person SET is_member = true WHERE school_id = $1 AND email = 'admin1@example.com'", [
      api.school.id,
    ])
  })

  const query = <Row extends object>(text: string, values: readonly unknown[] = []): Promise<Row[]> =>
    api.database.sql.query<Row>(text, [api.school.id, ...values])
  const file = async (row: FileRow = {}): Promise<string> => toPublicId('fil', await newFile(api.database.sql, api.school.id, row))
  const send = (path: string, options: Parameters<DemoApi['send']>[1] = {}): Promise<Reply> =>
    api.send(`/api/v1${path}`, withMatch({ as: actor, ...options }))
  const shown = async (id: string): Promise<Record<string, unknown>> => (await api.get(`/api/v1/storage/files/${id}`, { as: actor })).json

  /** Lets days pass: moves stored times back, and runs the jobs. */
  async function pass(days: number): Promise<void> {
    await query('UPDATE file SET unused_since = unused_since - make_interval(days => $2) WHERE school_id = $1', [days])
    await query('UPDATE undo_record SET expires_at = expires_at - make_interval(days => $2) WHERE school_id = $1', [days])
    const { database } = api
    const context = { database, storage: noStorage, onMissingFile: (one: MissingFile) => void missing.push(one) }
    for (const name of ['sweep_files', 'report_missing_files', 'remove_bytes', 'clean_pictures'] as const)
      await sweepJobs[name].run(context)
  }

  /** Returns those of the files that can no longer be read, or that nothing is known to use. */
  async function lost(files: ReadonlyMap<string, string>): Promise<string[]> {
    const gone: string[] = []
    for (const [name, id] of files) {
      const { status, references_count: count } = await shown(id)
      if (status !== 'ready' || count === 0) gone.push(`${name}: ${status}, ${count}`)
    }
    return gone
  }

  const undo = async (activity: string): Promise<Reply> => {
    const reply = await send(`/account/activity/${activity}/undo`, { body: {} })
    expect([reply.status, reply.status === 200 ? '' : reply.text]).toEqual([200, ''])
    return reply
  }

  async function latest(): Promise<string> {
    const [entry] = await query<{ id: string }>('SELECT id FROM audit_log WHERE school_id = $1 ORDER BY id DESC LIMIT 1')
    return toPublicId('act', entry?.id ?? '')
  }

  test('stay while a text or a field names them, and as long as a deletion or a change can be taken back', async () => {
    const named = new Map<string, string>()
    const rows = new Map<string, string>()
    const refused = new Map<string, string>()
    const changes: string[] = []
    for (const { operation, field, naming } of cases) {
      const name = `${operation.id} ${naming.path}`
      const id = await subjects.subjectOf(operation)
      const { body } = await subjects.sendingFor(operation, id)
      const sendNaming = async (): Promise<{ reply: Reply; used: string } | undefined> => {
        for (const kind of kinds) {
          const used = await file(kind)
          const value = await naming.value(used)
          const sent = operation.kind === 'update' ? { [field]: value } : { ...(body as object), [field]: value }
          const reply = await api.send(
            subjects.addressOf(operation, id),
            withMatch({ method: operation.method, as: actorOf(operation), body: sent }),
          )
          if (reply.status < 300) {
            refused.delete(name)
            return { reply, used }
          }
          refused.set(name, reply.text)
        }
        return undefined
      }
      const first = await sendNaming()
      if (!first) continue
      named.set(name, first.used)
      const removal = everyWrite.find((one) => one.kind === 'remove' && one.resource === operation.resource && one.id !== 'deleteFile')
      const made = operation.kind === 'update' ? id : String(first.reply.json.id)
      if (removal && undoOf(removal) === true && namesRow(removal) && (operation.kind === 'create' || operation.kind === 'update'))
        rows.set(name, removal.path.replace(/\{id(_or_\w+)?\}/, made))
      if (operation.kind !== 'update' || undoOf(operation) !== true) continue
      const second = await sendNaming()
      if (!second) continue
      changes.push(await latest())
    }
    expect([...refused]).toEqual([])
    expect(named.size).toBe(cases.length)

    await pass(29)
    for (const activity of changes.toReversed()) await undo(activity)
    expect(await lost(named)).toEqual([])
    await pass(31)
    await pass(8)
    expect(await lost(named)).toEqual([])

    const deletions = new Map<string, string>()
    for (const [name, path] of rows) {
      const reply = await api.send(path, withMatch<SendOptions>({ method: 'DELETE', as: actor }))
      if (reply.status < 300) deletions.set(name, await latest())
    }
    expect(deletions.size).toBeGreaterThan(15)
    await pass(29)
    for (const activity of [...deletions.values()].toReversed()) await undo(activity)
    expect(await lost(named)).toEqual([])
    expect(missing).toEqual([])
  })

  const newPost = async (content: string, more: object = {}): Promise<string> =>
    String((await send('/posts', { body: { title: 'A kiln', content, ...more } })).json.id)

  test('are named in Markdown, HTML, style sheets and comments, at any address; a text that names others is stored without a reference', async () => {
    const [markdown, html, absolute, css, comment] = [await file(), await file(), await file(), await file(), await file()]
    const post = await newPost(`[Plan](/files/${markdown}/a%20plan.pdf "Plan") and ![x](${api.school.issuer}/files/${absolute}/x.png?v=1)`)
    await newPost(`<p><img src="/files/${html}/x.png"></p>`, { content_format: 'html' })
    expect(
      (await send('/appearance', { method: 'PATCH', body: { custom_css: `body { background: url("/files/${css}/x.png"); }` } })).status,
    ).toBe(200)
    expect((await send(`/posts/${post}/publish`, { body: {} })).status).toBe(200)
    await newComment(
      api.database.sql,
      api.school.id,
      { type: 'post', id: fromPublicId('pst', post) ?? '' },
      { body: `![x](/files/${comment}/x.png)` },
    )
    for (const id of [markdown, html, absolute, css, comment]) expect(await shown(id)).toMatchObject({ references_count: 1 })

    const [hidden, elsewhere] = [
      await file({ visibility: 'private' }),
      toPublicId('fil', await newFile(api.database.sql, await newSchool(api.database.sql))),
    ]
    const other = await newPost([hidden, elsewhere, toPublicId('fil', newId())].map((id) => `![x](/files/${id}/x.png)`).join(' '))
    expect(other).toMatch(/^pst_/)
    expect(await shown(hidden)).toMatchObject({ references_count: 0 })

    const refusal = await send(`/storage/files/${markdown}`, { method: 'DELETE' })
    expect(refusal.json).toMatchObject({ error: 'resource_in_use', details: [{ field: 'content', meta: { type: 'post' } }] })
    missing.length = 0
    expect((await send(`/storage/files/${markdown}?force=true`, { method: 'DELETE' })).status).toBe(204)
    await pass(0)
    expect(missing).toEqual(expect.arrayContaining([expect.objectContaining({ type: 'post', field: 'content' })]))
  })

  test('come out of the trash when something names them again, and a revision of a page keeps them', async () => {
    const [picture, old] = [await file(), await file()]
    const blocks = (id: string) => [{ type: 'image', props: { file_id: id, alt: null, caption: null } }]
    const page = String((await send('/pages', { body: { title: 'Kilns', blocks: blocks(old) } })).json.id)
    await send(`/pages/${page}`, { method: 'PATCH', body: { blocks: blocks(picture) } })
    await send(`/pages/${page}`, { method: 'PATCH', body: { blocks: [] } })
    await query('DELETE FROM undo_record WHERE school_id = $1')
    const unused = await file()
    await pass(31)
    expect(await shown(old)).toMatchObject({ status: 'ready', references_count: 0 })
    expect(await shown(unused)).toMatchObject({ status: 'deleted', url: null })
    await newPost('Look.', { cover_image: { file_id: unused } })
    expect(await shown(unused)).toMatchObject({ status: 'ready', references_count: 1 })
    const gone = await file()
    await pass(31)
    await pass(8)
    expect(await shown(gone)).toMatchObject({ error: 'not_found' })
  })

  test('that a person deleted are named as the reason why a change cannot be taken back', async () => {
    const [first, second] = [await file(), await file()]
    const post = await newPost('Look.', { cover_image: { file_id: first } })
    await send(`/posts/${post}`, { method: 'PATCH', body: { cover_image: { file_id: second } } })
    const activity = await latest()
    expect((await send(`/storage/files/${first}`, { method: 'DELETE' })).status).toBe(204)
    expect((await send(`/account/activity/${activity}/undo`, { body: {} })).json).toMatchObject({
      error: 'changed_since',
      details: [{ field: 'cover_image_file_id', code: 'named_deleted' }],
    })
    await send(`/posts/${post}`, { method: 'DELETE' })
    const deletion = await latest()
    await send(`/storage/files/${second}`, { method: 'DELETE' })
    expect((await undo(deletion)).json.kept).toMatchObject([{ type: 'file', id: second, field: null, reason: 'deleted_since' }])
  })
})
