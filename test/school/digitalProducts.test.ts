import { expect, test } from 'vitest'
import { newId, toPublicId } from '../../src/base/ids.ts'
import { newFile } from '../support/files.ts'
import { newPlan } from '../support/memberships.ts'
import { newProduct, newProductFile } from '../support/shop.ts'
import { describeDemo } from './describeDemo.ts'

const owner = 'owner@example.com'
const learner = 'learner001@example.org'
const other = 'learner002@example.org'

/** The response of each action in each state of a product, and the state after it. `owned` is published and granted to a person. */
const states = {
  draft: {
    publish: '200 published',
    unpublish: '200 draft',
    archive: '409 draft',
    restore: '409 draft',
    duplicate: '201 draft',
    DELETE: '204 gone',
  },
  empty: {
    publish: '422 draft',
    unpublish: '200 draft',
    archive: '409 draft',
    restore: '409 draft',
    duplicate: '201 draft',
    DELETE: '204 gone',
  },
  published: {
    publish: '200 published',
    unpublish: '200 draft',
    archive: '200 archived',
    restore: '200 published',
    duplicate: '201 published',
    DELETE: '409 published',
  },
  owned: {
    publish: '200 published',
    unpublish: '409 published',
    archive: '200 archived',
    restore: '200 published',
    duplicate: '201 published',
    DELETE: '409 published',
  },
  archived: {
    publish: '200 published',
    unpublish: '409 archived',
    archive: '200 archived',
    restore: '200 published',
    duplicate: '201 archived',
    DELETE: '409 archived',
  },
} as const

describeDemo('digital products on $name', (api) => {
  const send = (path: string, body: object = {}, { as = owner, method = 'POST' } = {}) =>
    api.send(`/api/v1/digital_products${path}`, { as, method, ...(method !== 'DELETE' && { body }) })
  const get = (path: string, as?: string) => api.get(`/api/v1/digital_products${path}`, { as })
  const make = async (options: Parameters<typeof newProduct>[2] = {}): Promise<{ id: string; stored: string; file: string }> => {
    const { sql } = api.database
    const stored = await newProduct(sql, api.school.id, options)
    const file = await newProductFile(sql, api.school.id, stored)
    return { id: toPublicId('dgp', stored), stored, file: toPublicId('dpf', file) }
  }
  async function personOf(email: string): Promise<string> {
    const [row] = await api.database.sql.query<{ id: string }>('SELECT id FROM person WHERE school_id = $1 AND email = $2', [
      api.school.id,
      email,
    ])
    return row?.id as string
  }
  const give = async (id: string, email: string) => await send(`/${id}/grants`, { student_id: toPublicId('std', await personOf(email)) })
  const download = (id: string, file: string, as?: string) =>
    api.send(`/api/v1/digital_products/${id}/files/${file}/download`, { as, body: {} })

  test.each(Object.keys(states) as (keyof typeof states)[])(
    'every action on a product that is %s does exactly what is documented',
    async (state) => {
      for (const [action, expected] of Object.entries(states[state])) {
        const status = state === 'owned' ? 'published' : state === 'empty' ? 'draft' : state
        const { id, stored } = await make({ status })
        if (state === 'empty') await api.database.sql.query('DELETE FROM product_file WHERE product_id = $1', [stored])
        if (state === 'owned') expect((await give(id, learner)).status).toBe(201)
        const reply = action === 'DELETE' ? await send(`/${id}`, {}, { method: 'DELETE' }) : await send(`/${id}/${action}`)
        const after = await get(`/${id}`, owner)
        expect([action, `${reply.status} ${after.status === 404 ? 'gone' : after.json.status}`]).toEqual([action, expected])
      }
    },
  )

  test('a visitor sees what is for sale, and nothing of where its bytes are', async () => {
    const { id } = await make()
    const seen = await get(`/${id}`)
    expect(seen.json.files).toEqual([
      {
        id: expect.stringMatching(/^dpf_/),
        title: 'Kiln log',
        filename: 'kiln-log.pdf',
        content_type: 'image/webp',
        byte_size: 12,
        version: 1,
      },
    ])
    expect(Object.keys(seen.json)).not.toContain('owned')
    expect((await get(`/${id}`, owner)).json.files).toEqual([expect.objectContaining({ file_id: expect.stringMatching(/^fil_/) })])
    expect((await get(`/${(await make({ status: 'draft' })).id}`, learner)).status).toBe(404)
  })

  test('only an owner gets a URL, which expires; a free product is for everybody', async () => {
    const paid = await make()
    const free = await make({ access: 'free' })
    for (const as of [undefined, learner]) expect((await download(paid.id, paid.file, as)).json.error).toBe('access_denied')
    await give(paid.id, learner)
    const reply = await download(paid.id, paid.file, learner)
    expect(reply).toMatchObject({ status: 200, json: { url: expect.stringContaining('/files/'), expires_at: expect.any(String) } })
    expect((await download(paid.id, paid.file, other)).json.error).toBe('access_denied')
    expect((await download(free.id, free.file)).status).toBe(200)
    expect((await download(free.id, free.file, other)).status).toBe(200)
    // A file of one product is not found at the URL of another.
    expect((await download(free.id, paid.file)).json.error).toBe('not_found')
  })

  test('an archived product stays available to its owners only', async () => {
    const { id, file } = await make()
    await give(id, learner)
    await send(`/${id}/archive`)
    expect((await get(`/${id}`, learner)).json).toMatchObject({ status: 'archived', owned: true })
    expect((await download(id, file, learner)).status).toBe(200)
    for (const as of [undefined, other]) {
      expect((await get(`/${id}`, as)).status).toBe(404)
      expect((await download(id, file, as)).status).toBe(404)
    }
  })

  test('a plan opens what it includes for as long as it lasts, and a gift outlasts the plan', async () => {
    const { sql } = api.database
    const { id, stored, file } = await make({ access: 'plan_only', limit: 3 })
    const { planId, priceId } = await newPlan(sql, api.school.id)
    await sql.query(`INSERT INTO plan_item (school_id, plan_id, product_type, product_id) VALUES ($1, $2, 'digital_product', $3)`, [
      api.school.id,
      planId,
      stored,
    ])
    const personId = await personOf(learner)
    await sql.query(
      `INSERT INTO subscription (school_id, id, person_id, plan_id, price_id, status, collection, amount, currency)
       VALUES ($1, $2, $3, $4, $5, 'active', 'manual', 1200, 'EUR')`,
      [api.school.id, newId(), personId, planId, priceId],
    )
    expect((await download(id, file, learner)).status).toBe(200)
    expect((await get(`?owned=true`, learner)).json.data).toEqual(expect.arrayContaining([expect.objectContaining({ id })]))
    expect((await get(`?plan_id=${toPublicId('mpl', planId)}`)).json.data).toEqual([expect.objectContaining({ id })])
    await sql.query(`UPDATE subscription SET status = 'canceled', ended_at = now() WHERE plan_id = $1`, [planId])
    expect((await download(id, file, learner)).json.error).toBe('access_denied')
    await give(id, learner)
    expect((await download(id, file, learner)).status).toBe(200)
    const grants = await get(`/${id}/grants`, owner)
    expect(grants.json.data).toEqual([expect.objectContaining({ source: 'manual', revoked_at: null })])
  })

  test('a draft that was given away, or that a plan names, is not removed, and says what names it', async () => {
    const given = await make({ status: 'draft' })
    await give(given.id, learner)
    const planned = await make({ status: 'draft' })
    const { planId } = await newPlan(api.database.sql, api.school.id)
    await api.database.sql.query(
      `INSERT INTO plan_item (school_id, plan_id, product_type, product_id) VALUES ($1, $2, 'digital_product', $3)`,
      [api.school.id, planId, planned.stored],
    )
    for (const [{ id }, name] of [[given, 'a grant'] as const, [planned, 'a membership plan'] as const]) {
      const { status, json } = await send(`/${id}`, {}, { method: 'DELETE' })
      expect([status, json.error]).toEqual([409, 'resource_in_use'])
      expect(json.error_description).toContain(name)
      expect((await get(`/${id}`, owner)).status).toBe(200)
    }
  })

  test('a product is granted once: a repetition is 200 with the same grant, and a revoked grant is renewed', async () => {
    const { id } = await make()
    const first = await give(id, learner)
    const again = await give(id, learner)
    expect([first.status, again.status, again.json]).toEqual([201, 200, first.json])
    await send(`/${id}/grants/${first.json.id}/revoke`)
    const renewed = await give(id, learner)
    expect([renewed.status, renewed.json.id, renewed.json.revoked_at]).toEqual([200, first.json.id, null])
  })

  test('a revoked grant gives no access; revoking again has no effect', async () => {
    const { id, file } = await make()
    const grant = (await give(id, learner)).json
    const revoke = () => send(`/${id}/grants/${grant.id}/revoke`)
    expect((await revoke()).json.revoked_at).toEqual(expect.any(String))
    const again = await revoke()
    expect([again.status, again.json.revoked_at]).toEqual([200, (await revoke()).json.revoked_at])
    expect((await download(id, file, learner)).json.error).toBe('access_denied')
    const elsewhere = await make()
    expect((await send(`/${elsewhere.id}/grants/${grant.id}/revoke`)).json.error).toBe('not_found')
  })

  test('other bytes are the next version; the order names every file; the last file of a published product stays', async () => {
    const { id, file } = await make({ status: 'draft' })
    const bytes = async (purpose = 'digital_product', visibility = 'private') =>
      toPublicId('fil', await newFile(api.database.sql, api.school.id, { purpose, visibility }))
    expect((await send(`/${id}/files`, { file_id: await bytes('image', 'public'), title: 'A cover' })).json.error).toBe('invalid_reference')
    const added = await send(`/${id}/files`, { file_id: await bytes(), title: 'Second' })
    expect(added.status).toBe(201)
    const second = (added.json.files as { id: string }[])[1]?.id as string
    const order = (file_ids: string[]) => send(`/${id}/files/order`, { file_ids }, { method: 'PUT' })
    expect((await order([second])).json.error).toBe('incomplete_order')
    expect((await order([second, second])).json.error).toBe('incomplete_order')
    expect(((await order([second, file])).json.files as { id: string }[]).map((one) => one.id)).toEqual([second, file])
    const changed = await send(`/${id}/files/${file}`, { file_id: await bytes() }, { method: 'PATCH' })
    expect((changed.json.files as object[])[1]).toMatchObject({ id: file, version: 2, title: 'Kiln log' })
    await send(`/${id}/publish`)
    expect((await send(`/${id}/files/${second}`, {}, { method: 'DELETE' })).status).toBe(204)
    expect((await send(`/${id}/files/${file}`, {}, { method: 'DELETE' })).json.error).toBe('invalid_state')
  })

  test('a limit of five allows exactly five of twenty concurrent downloads', async () => {
    const { id, file } = await make({ limit: 5 })
    await give(id, learner)
    const replies = await Promise.all(Array.from({ length: 20 }, () => download(id, file, learner)))
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(5)
    expect(new Set(replies.filter(({ status }) => status !== 200).map(({ json }) => json.error))).toEqual(
      new Set(['download_limit_reached']),
    )
    expect((await get(`/${id}/grants`, owner)).json.data).toEqual([expect.objectContaining({ downloads_count: 5 })])
  })
})
