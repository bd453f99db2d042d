import { asyncProperty, constantFrom, dictionary, jsonValue, property, assert as propertyHolds, string } from 'fast-check'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { newId } from '../../src/base/ids.ts'
import type { Database } from '../../src/database/connection/database.ts'
import { storableJson, storableText } from '../../src/database/statements/storableText.ts'
import { type AuditEntry, recordAudit } from '../../src/database/tables/audit.ts'
import { writeEvent } from '../../src/database/tables/auditEvents.ts'
import { everyDatabase } from '../support/databases.ts'
import { duringTests } from '../support/duringTests.ts'

describe.each(await everyDatabase())('the audit log in the $name database', ({ open }) => {
  const opened = duringTests(open)
  let database: Database
  const school_id = newId()
  beforeAll(() => {
    database = opened.database
  })
  beforeEach(async () => {
    await database.sql.query('DELETE FROM audit_log')
  })
  const entries = () =>
    database.sql.query('SELECT school_id, event, account_id, client_id, grant_id, request_id, address, details FROM audit_log ORDER BY id')

  test('keeps every member, in the order in which the entries came', async () => {
    const full = {
      school_id,
      event: 'grant.revoked' as const,
      account_id: newId(),
      client_id: 'client "quoted", {braced} and \\',
      grant_id: 'g',
      request_id: 'r',
      address: '127.0.0.1',
      details: { scopes: ['a', 'b'], before: null, text: '"\\', nested: { n: 1 } },
    }
    await recordAudit(database.kysely, [full, { school_id, event: 'account.created' }])
    const none = { account_id: null, client_id: null, grant_id: null, request_id: null, address: null }
    expect(await entries()).toEqual([full, { school_id, event: 'account.created', ...none, details: {} }])
    const [row] = await database.sql.query<{ at: Date }>('SELECT at FROM audit_log LIMIT 1')
    expect(Math.abs(Date.now() - (row?.at.getTime() ?? 0))).toBeLessThan(60_000)
  })

  test('writes nothing where nothing happened', async () => {
    await recordAudit(database.kysely, [])
    expect(await entries()).toEqual([])
  })

  test('is stored exactly when the transaction commits', async () => {
    const work = (end: () => void) =>
      database.transaction(async (writer) => {
        await recordAudit(writer, [{ school_id, event: writeEvent('course', 'published') }])
        end()
      })
    await expect(
      work(() => {
        throw new Error('no')
      }),
    ).rejects.toThrow('no')
    expect(await entries()).toEqual([])
    await work(() => {})
    expect(await entries()).toHaveLength(1)
  })

  test('takes any text and any details that a caller can choose', async () => {
    const wild = string({ unit: 'binary', maxLength: 20 })
    const member = constantFrom('event', 'account_id', 'client_id', 'grant_id', 'request_id', 'address')
    const anything = asyncProperty(member, wild, dictionary(wild, jsonValue({ stringUnit: 'binary' })), async (name, text, details) => {
      await database.sql.query('DELETE FROM audit_log')
      await recordAudit(database.kysely, [{ school_id, event: 'sign_in.failed', [name]: text, details } as AuditEntry])
      const [row] = await database.sql.query<Record<string, unknown>>('SELECT * FROM audit_log')
      expect(row?.[name]).toBe(storableText(text))
      expect(row?.details).toEqual(JSON.parse(storableJson(details)))
    })
    await propertyHolds(anything, { numRuns: 60, examples: [['event', '\0\ud800', { '\0': ['\udfff\0', { '\ud800': 1 }] }]] })
  })
})

test('storable JSON is the JSON of the value wherever that holds only text that can be kept', () => {
  void propertyHolds(
    property(jsonValue({ stringUnit: 'grapheme' }), (value) => {
      expect(storableJson(value)).toBe(JSON.stringify(value))
    }),
  )
  expect(storableJson({ at: new Date(0), big: 2n ** 60n })).toBe('{"at":"1970-01-01T00:00:00.000Z","big":"1152921504606846976"}')
})
