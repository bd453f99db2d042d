import { assert, property, string, stringMatching, uuid } from 'fast-check'
import { TypeID } from 'typeid-js'
import { expect, test } from 'vitest'
import { fromPublicId, newId, toPublicId } from '../../src/base/ids.ts'

const prefix = stringMatching(/^[a-z]{3}$/)

test('a public id leads back to its UUID', async () => {
  await assert(
    property(prefix, uuid(), (name, id) => {
      expect(fromPublicId(name, toPublicId(name, id))).toBe(id)
    }),
  )
})

test('a public id is the TypeID of its UUID', async () => {
  await assert(
    property(prefix, uuid(), (name, id) => {
      expect(toPublicId(name, id)).toBe(TypeID.fromUUID(name, id).toString())
    }),
  )
  for (const id of ['00000000-0000-0000-0000-000000000000', 'ffffffff-ffff-ffff-ffff-ffffffffffff'])
    expect(toPublicId('crs', id)).toBe(TypeID.fromUUID('crs', id).toString())
})

test('a text that is not a UUID has no public id', async () => {
  await assert(
    property(string({ unit: 'binary', maxLength: 40 }), (text) => {
      expect(() => toPublicId('crs', text)).toThrow('expected a UUID')
    }),
  )
  const id = newId()
  for (const text of ['', id.slice(1), `${id}0`, id.replace(/.$/, 'g'), id.replaceAll('-', ''), `${id.slice(0, 8)}0${id.slice(9)}`])
    expect(() => toPublicId('crs', text)).toThrow('expected a UUID')
})

test('a public id is not one of another prefix', async () => {
  await assert(
    property(prefix, prefix, uuid(), (name, other, id) => {
      expect(fromPublicId(other, toPublicId(name, id))).toBe(name === other ? id : undefined)
    }),
  )
})

test('a text that is not an id becomes undefined and never throws', async () => {
  await assert(
    property(string({ unit: 'binary' }), (text) => {
      expect(fromPublicId('crs', text)).toBeUndefined()
    }),
  )
  await assert(
    property(string({ unit: 'binary' }), (text) => {
      expect(fromPublicId('crs', `crs_${text}`)).toBeUndefined()
    }),
  )
})

test('an id has one spelling: neither upper case nor a letter that looks like a digit is taken', () => {
  const id = toPublicId('crs', newId())
  expect(fromPublicId('crs', id.toUpperCase())).toBeUndefined()
  expect(fromPublicId('crs', `${id.slice(0, -1)}o`)).toBeUndefined()
  expect(fromPublicId('crs', `crs_8${id.slice(5)}`)).toBeUndefined()
  expect(fromPublicId('crs', `${id} `)).toBeUndefined()
})

test('ids of one process are in the order in which they were made, in both forms (RFC 9562 section 6.2)', () => {
  const ids = Array.from({ length: 2000 }, newId)
  expect(ids.toSorted()).toEqual(ids)
  const shown = ids.map((id) => toPublicId('crs', id))
  expect(shown.toSorted()).toEqual(shown)
  expect(new Set(ids).size).toBe(ids.length)
})
