import Koa from 'koa'
import request from 'supertest'
import { describe, expect, test } from 'vitest'
import { refuseEncodedBodies } from '../../../src/base/http/contentEncoding.ts'
import { inOrder } from '../../../src/base/http/inOrder.ts'
import { renderProblems } from '../../../src/base/http/problems.ts'
import { readMultipartForm } from '../../../src/base/http/readMultipartForm.ts'
import { urlencodedFormReader } from '../../../src/base/http/urlencodedForm.ts'
import { createLog } from '../../../src/base/log/log.ts'

/** Creates an application with one route, which returns the parsed body. */
function app(read: (ctx: Koa.Context) => Promise<unknown>) {
  const koa = new Koa()
  koa.use(renderProblems(createLog('silent'), () => undefined))
  koa.use(inOrder([refuseEncodedBodies]))
  koa.use(async (ctx) => {
    ctx.body = { read: await read(ctx) }
  })
  return request(koa.callback())
}

const urlencoded = () => app(urlencodedFormReader(64))
const form = 'application/x-www-form-urlencoded'

describe('a url-encoded form', () => {
  test('is read as it was sent, with repeated parameters and names that look like objects', async () => {
    const text = 'a=1&a=2&b[c]=3&__proto__=x'
    await urlencoded().post('/').type(form).send(text).expect(200, { read: text })
  })

  test('is UTF-8 whatever charset it names, and may have the coding identity', async () => {
    await urlencoded().post('/').set('Content-Type', `${form}; charset=x-unknown`).send('a=%C3%A4').expect(200, { read: 'a=%C3%A4' })
    await urlencoded().post('/').type(form).set('Content-Encoding', 'Identity').send('a=1').expect(200, { read: 'a=1' })
  })

  test('is rejected above its limit with 413, and with a content coding with 415', async () => {
    const { body } = await urlencoded().post('/').type(form).send('a'.repeat(65)).expect(413)
    expect(body).toMatchObject({ error: 'payload_too_large', error_description: 'The body is larger than 64 bytes.' })
    await urlencoded().post('/').type(form).send('a'.repeat(64)).expect(200)
    await urlencoded().post('/').type(form).set('Content-Encoding', 'gzip').send('a=1').expect(415)
  })

  test('of another media type or without a body is read as empty', async () => {
    await urlencoded().post('/').type('json').send('{"a":1}').expect(200, { read: '' })
    await urlencoded().post('/').type(form).expect(200, { read: '' })
  })
})

const multipart = () =>
  app(async (ctx) => {
    const { fields, file, discard } = await readMultipartForm(ctx, 100)
    await discard()
    return { fields, file: file && { filename: file.filename, contentType: file.contentType, bytes: file.bytes } }
  })

describe('a multipart form', () => {
  test('is read with its fields and its one file', async () => {
    const response = multipart().post('/').field('purpose', 'image').attach('file', Buffer.from('abc'), 'ä.png').expect(200)
    expect((await response).body.read).toEqual({
      fields: { purpose: 'image' },
      file: { filename: 'ä.png', contentType: 'image/png', bytes: 3 },
    })
    const { body } = await multipart().post('/').field('purpose', 'image').expect(200)
    expect(body.read).toEqual({ fields: { purpose: 'image' } })
  })

  test('is rejected with a repeated field, a second file, or a file under another name', async () => {
    const bytes = Buffer.from('abc')
    const repeated = await multipart().post('/').field('purpose', 'image').field('purpose', 'video').expect(400)
    expect(repeated.body.error_description).toBe('purpose must be in the form only once. Remove the other fields.')
    await multipart().post('/').attach('file', bytes, 'a').attach('file', bytes, 'b').expect(400)
    await multipart().post('/').attach('other', bytes, 'a').expect(400)
  })

  test('is rejected with 413 for a large file, many parts or large headers, and with 415 for another media type', async () => {
    await multipart().post('/').attach('file', Buffer.alloc(101), 'a').expect(413)
    const many = multipart().post('/')
    for (let count = 0; count < 21; count++) many.field(`field_${count}`, 'x')
    await many.expect(413)
    await multipart().post('/').attach('file', Buffer.from('abc'), 'n'.repeat(5000)).expect(413)
    await multipart().post('/').type(form).send('a=1').expect(415)
  })

  test('that is cut off in the middle of a part is rejected with 400', async () => {
    const body = '--x\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\nabc'
    await multipart().post('/').set('Content-Type', 'multipart/form-data; boundary=x').send(body).expect(400)
  })
})
