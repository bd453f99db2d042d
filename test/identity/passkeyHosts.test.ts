// Proves Web Authentication section 7.2: A passkey of one host is refused at another host

import { createHash, generateKeyPairSync, sign } from 'node:crypto'
import { beforeAll, describe, expect, test } from 'vitest'
import { newId } from '../../src/base/ids.ts'
import { createKeyring } from '../../src/base/keyring.ts'
import { schoolDatabase } from '../../src/database/school/inSchool.ts'
import { type ChallengeBinding, createChallenge } from '../../src/identity/factors/challenges.ts'
import { userHandleOf } from '../../src/identity/factors/passkeyOptions.ts'
import { type PasskeyResponse, usePasskey } from '../../src/identity/factors/passkeys.ts'
import type { RelyingParty } from '../../src/identity/factors/relyingParty.ts'
import { openTestDatabase, type TestDatabase } from '../support/databases.ts'
import { duringTests } from '../support/duringTests.ts'

const one: RelyingParty = { id: 'one.example.com', origin: 'https://one.example.com' }
const other: RelyingParty = { id: 'other.example.com', origin: 'https://other.example.com' }
const keyring = createKeyring(['a root secret for tests'])
const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
const accountId = newId()
const schoolId = newId()
const credentialId = Buffer.from('a credential of the first host').toString('base64url')
const opened = duringTests(openTestDatabase)
let database: TestDatabase['database']

beforeAll(async () => {
  database = opened.database
  const { kysely, sql } = database
  await sql.query(
    `INSERT INTO school (id, slug, name, locale, supported_locales, time_zone, currency) VALUES ($1, 'one', 'One', 'en', ARRAY['en'], 'UTC', 'EUR')`,
    [schoolId],
  )
  const own = { school_id: schoolId, account_id: accountId }
  await kysely.insertInto('account').values({ school_id: schoolId, id: accountId, email: 'ada@example.com', name: 'Ada' }).execute()
  const passkey = {
    id: newId(),
    credential_id: credentialId,
    public_key: coseKey(),
    counter: 0,
    transports: [],
    is_synced: false,
    name: 'Key',
  }
  await kysely
    .insertInto('passkey')
    .values({ ...own, ...passkey })
    .execute()
})

/** The public key in the form of COSE (RFC 9053 section 7.1.1), in CBOR. */
function coseKey(): string {
  const { x = '', y = '' } = publicKey.export({ format: 'jwk' })
  const coordinate = (label: number, value: string) => [Buffer.from([label, 0x58, 0x20]), Buffer.from(value, 'base64url')]
  return Buffer.concat([Buffer.from([0xa5, 1, 2, 3, 0x26, 0x20, 1]), ...coordinate(0x21, x), ...coordinate(0x22, y)]).toString('base64url')
}

/** The answer of an authenticator that signs whatever it is asked, as no browser would. */
function answer({
  challenge,
  origin,
  hashedId,
  flags = 5,
}: {
  challenge: string
  origin: string
  hashedId: string
  flags?: number
}): PasskeyResponse {
  const clientData = Buffer.from(JSON.stringify({ type: 'webauthn.get', challenge, origin, crossOrigin: false }))
  const authenticatorData = Buffer.concat([createHash('sha256').update(hashedId).digest(), Buffer.from([flags, 0, 0, 0, 0])])
  const signature = sign('sha256', Buffer.concat([authenticatorData, createHash('sha256').update(clientData).digest()]), privateKey)
  return {
    ...{ id: credentialId, rawId: credentialId, type: 'public-key', clientExtensionResults: {}, transports: [] },
    response: {
      clientDataJSON: clientData.toString('base64url'),
      authenticatorData: authenticatorData.toString('base64url'),
      signature: signature.toString('base64url'),
      userHandle: userHandleOf(accountId),
    },
  }
}

const binding: ChallengeBinding = { schoolId, purpose: 'sign-in', browser: 'a browser' }
const use = (party: RelyingParty, response: Omit<Parameters<typeof answer>[0], 'challenge'>) =>
  usePasskey(
    { database: schoolDatabase(database, schoolId, 'person'), keyring, party, binding },
    answer({ challenge: createChallenge(keyring, binding), ...response }),
    {
      isVerified: true,
    },
  )

describe('a passkey of one host', () => {
  test('is accepted there, and its sign-in says that the authenticator verified the person', async () => {
    expect(await use(one, { origin: one.origin, hashedId: one.id })).toMatchObject({ accountId, isVerified: true })
  })

  test.each([
    ['signed for the first host', { origin: one.origin, hashedId: one.id }],
    ['with the origin of the first host', { origin: one.origin, hashedId: other.id }],
    ['with the id of the first host', { origin: other.origin, hashedId: one.id }],
    ['from a host below it', { origin: 'https://x.other.example.com', hashedId: other.id }],
    ['over http', { origin: 'http://other.example.com', hashedId: other.id }],
  ])('is refused at another host: %s', async (_name, response) => {
    expect(await use(other, response)).toEqual({ rejected: 'invalid', accountId })
  })

  test('is refused in place of a password if the authenticator has not verified the person', async () => {
    expect(await use(one, { origin: one.origin, hashedId: one.id, flags: 1 })).toEqual({ rejected: 'invalid', accountId })
  })
})
