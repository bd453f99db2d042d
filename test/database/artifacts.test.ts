import { randomUUID } from 'node:crypto'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Artifact, ArtifactKey, Artifacts } from '../../src/identity/tokens/artifacts.ts'
import { type ArtifactStore, artifactStores } from './artifactStores.ts'

for (const { name, open } of await artifactStores()) {
  describe(`artefacts in ${name}`, () => {
    const schoolId = randomUUID()
    let store: ArtifactStore
    let artifacts: Artifacts
    beforeAll(async () => {
      store = await open()
      artifacts = store.artifacts
    })
    afterAll(() => store.drop())

    const artifact = (more: Partial<Artifact> = {}): Artifact => ({
      schoolId,
      model: 'AccessToken',
      id: randomUUID(),
      payload: '{"kind":"AccessToken"}',
      expiresInSeconds: 60,
      ...more,
    })
    /** Looks up a token as its holder does: by the id and the tags in its text. */
    const keyOf = ({ schoolId, model, id, grantTag, clientTag }: Artifact): ArtifactKey => ({
      schoolId,
      model,
      id,
      ...(grantTag && { grantTag }),
      ...(clientTag && { clientTag }),
    })
    const saved = async (more: Partial<Artifact> = {}) => {
      const made = artifact(more)
      await artifacts.save(made)
      return made
    }

    test('gives back what was saved, and nothing for an id that was not', async () => {
      const accountId = randomUUID()
      const grant = await store.newGrant(schoolId)
      const token = await saved({ ...grant, accountId })
      expect(await artifacts.find(keyOf(token))).toEqual({
        payload: token.payload,
        grantId: grant.grantId,
        clientId: grant.clientId,
        accountId,
        consumedAt: null,
        successor: null,
        answeredSecondsAgo: null,
      })
      expect(await artifacts.find({ ...keyOf(token), id: randomUUID() })).toBeUndefined()
      expect(await artifacts.find({ ...keyOf(token), model: 'AuthorizationCode' })).toBeUndefined()
    })

    test('replaces the whole value of a key', async () => {
      const first = await saved({ accountId: randomUUID() })
      await artifacts.save({ ...artifact(), id: first.id, payload: '{"second":true}' })
      expect(await artifacts.find(keyOf(first))).toMatchObject({ payload: '{"second":true}', accountId: null })
    })

    test('keeps any text of a payload as it is', async () => {
      await fc.assert(
        fc.asyncProperty(fc.json({ stringUnit: 'binary' }), async (payload) => {
          const token = await saved({ payload })
          expect((await artifacts.find(keyOf(token)))?.payload).toBe(payload)
        }),
        { numRuns: 60, examples: [['"ü 学校 🏫 \\u0000 \\ud800 \' \\\\"']] },
      )
    })

    test('forgets an artefact when its time has passed, and neither consumption nor a look brings it back', async () => {
      const code = await saved({ model: 'AuthorizationCode', expiresInSeconds: 0.3 })
      expect(await artifacts.find(keyOf(code))).toBeDefined()
      await expect.poll(() => artifacts.find(keyOf(code)), { interval: 20 }).toBeUndefined()
      expect(await artifacts.consume(keyOf(code))).toBe(false)
      expect(await artifacts.find(keyOf(code))).toBeUndefined()
      expect(await artifacts.saveOnce({ ...code, expiresInSeconds: 60 })).toBe(true)
      expect(await artifacts.find(keyOf(code))).toMatchObject({ consumedAt: null })
    })

    test('shows nothing that was saved with no time left', async () => {
      expect(await artifacts.find(keyOf(await saved({ expiresInSeconds: -5 })))).toBeUndefined()
    })

    test('still shows a consumed artefact, with the time of its consumption', async () => {
      const code = await saved({ model: 'AuthorizationCode' })
      const before = Date.now()
      expect(await artifacts.consume(keyOf(code))).toBe(true)
      const consumedAt = (await artifacts.find(keyOf(code)))?.consumedAt
      expect(consumedAt).toBeInstanceOf(Date)
      expect(Math.abs((consumedAt?.getTime() ?? 0) - before)).toBeLessThan(5000)
    })

    test('a consumed artefact that is saved again stays consumed', async () => {
      const code = await saved({ model: 'AuthorizationCode' })
      await artifacts.consume(keyOf(code))
      await artifacts.save({ ...code, payload: '{"again":true}' })
      expect(await artifacts.find(keyOf(code))).toMatchObject({ payload: '{"again":true}', consumedAt: expect.any(Date) })
      expect(await artifacts.consume(keyOf(code))).toBe(false)
    })

    test('lets exactly one of 20 callers consume, 60 times', async () => {
      for (let round = 0; round < 60; round += 1) {
        const code = await saved({ model: 'AuthorizationCode' })
        const outcomes = await Promise.all(Array.from({ length: 20 }, () => artifacts.consume(keyOf(code))))
        expect(outcomes.filter((won) => won)).toHaveLength(1)
      }
    })

    test('consumes nothing that does not exist or was destroyed', async () => {
      expect(await artifacts.consume(keyOf(artifact()))).toBe(false)
      const token = await saved()
      await artifacts.destroy(keyOf(token))
      expect(await artifacts.consume(keyOf(token))).toBe(false)
      expect(await artifacts.find(keyOf(token))).toBeUndefined()
    })

    test('lets exactly one of 20 callers save once, and keeps that one', async () => {
      for (let round = 0; round < 20; round += 1) {
        const replay = artifact({ model: 'ReplayDetection' })
        const outcomes = await Promise.all(
          Array.from({ length: 20 }, (_, caller) => artifacts.saveOnce({ ...replay, payload: `{"caller":${caller}}` })),
        )
        expect(outcomes.filter((won) => won)).toHaveLength(1)
        expect((await artifacts.find(keyOf(replay)))?.payload).toBe(`{"caller":${outcomes.indexOf(true)}}`)
      }
    })

    test('hides what an ended grant gave, saved before or after, from those who name its tag and those who do not', async () => {
      const grant = await store.newGrant(schoolId)
      const other = await store.newGrant(schoolId)
      const [before, stranger] = [await saved(grant), await saved(other)]
      await artifacts.endGrant({ schoolId, ...grant })
      const after = await saved(grant)
      for (const token of [before, after]) {
        expect(await artifacts.find(keyOf(token))).toBeUndefined()
        expect(await artifacts.find({ schoolId, model: token.model, id: token.id })).toBeUndefined()
        expect(await artifacts.find({ ...keyOf(token), grantTag: other.grantTag, clientTag: other.clientTag })).toBeUndefined()
      }
      expect(await artifacts.consume(keyOf(before))).toBe(false)
      expect(await artifacts.find(keyOf(stranger))).toBeDefined()
      expect(await artifacts.find({ schoolId, model: stranger.model, id: stranger.id })).toBeDefined()
    })

    test('no token outlives its grant when both are written concurrently', async () => {
      for (let round = 0; round < 20; round += 1) {
        const grant = await store.newGrant(schoolId)
        const tokens = Array.from({ length: 5 }, () => artifact(grant))
        await Promise.all([...tokens.map((token) => artifacts.save(token)), artifacts.endGrant({ schoolId, ...grant })])
        for (const token of tokens) expect(await artifacts.find(keyOf(token))).toBeUndefined()
      }
    })

    test('hides what an ended client got until it is restored, and what it got before for ever', async () => {
      const grant = await store.newGrant(schoolId)
      const other = await store.newGrant(schoolId)
      const [before, stranger] = [await saved(grant), await saved(other)]
      const client = { schoolId, clientId: grant.clientId, clientTag: grant.clientTag }
      await artifacts.endClient(client)
      const during = await saved(grant)
      expect(await artifacts.find(keyOf(before))).toBeUndefined()
      expect(await artifacts.find(keyOf(during))).toBeUndefined()
      expect(await artifacts.find({ schoolId, model: during.model, id: during.id })).toBeUndefined()
      expect(await artifacts.find(keyOf(stranger))).toBeDefined()
      await artifacts.restoreClient(client)
      const after = await saved(await store.newGrant(schoolId, client))
      expect(await artifacts.find(keyOf(before))).toBeUndefined()
      expect(await artifacts.find(keyOf(during))).toBeUndefined()
      expect(await artifacts.find(keyOf(after))).toBeDefined()
    })

    test('restoring a client that was never ended takes nothing from it', async () => {
      const grant = await store.newGrant(schoolId)
      const { grantId: _, grantTag: __, ...client } = grant
      const [granted, loose] = [await saved(grant), await saved(client)]
      await artifacts.restoreClient({ schoolId, ...client })
      expect(await artifacts.find(keyOf(granted))).toBeDefined()
      expect(await artifacts.find(keyOf(loose))).toBeDefined()
    })

    test('finds a session by its second key, after a change of its id too', async () => {
      const uid = randomUUID()
      const first = await saved({ model: 'Session', uid, payload: '{"first":true}' })
      expect(await artifacts.findByUid(schoolId, 'Session', uid)).toMatchObject({ payload: '{"first":true}' })
      await artifacts.save({ ...first, id: randomUUID(), payload: '{"second":true}' })
      await artifacts.destroy(keyOf(first))
      expect(await artifacts.findByUid(schoolId, 'Session', uid)).toMatchObject({ payload: '{"second":true}' })
      expect(await artifacts.findByUid(schoolId, 'Session', randomUUID())).toBeUndefined()
      expect(await artifacts.findByUid(schoolId, 'Interaction', uid)).toBeUndefined()
    })

    test('a second key whose session is gone finds nothing', async () => {
      const session = await saved({ model: 'Session', uid: randomUUID() })
      await artifacts.destroy(keyOf(session))
      expect(await artifacts.findByUid(schoolId, 'Session', session.uid ?? '')).toBeUndefined()
      await artifacts.save({ ...session, uid: randomUUID() })
      expect(await artifacts.findByUid(schoolId, 'Session', session.uid ?? '')).toBeUndefined()
    })

    test('signs only this account out everywhere, and only in this model', async () => {
      const accountId = randomUUID()
      const mine = await Promise.all([1, 2, 3].map(() => saved({ model: 'Session', uid: randomUUID(), accountId })))
      const short = await saved({ model: 'Session', accountId, expiresInSeconds: 1 })
      const others = [await saved({ model: 'Session', accountId: randomUUID() }), await saved({ model: 'Interaction', accountId })]
      await artifacts.destroyOfAccount(schoolId, 'Session', accountId)
      for (const session of [...mine, short]) expect(await artifacts.find(keyOf(session))).toBeUndefined()
      for (const session of others) expect(await artifacts.find(keyOf(session))).toBeDefined()
      const later = await saved({ model: 'Session', accountId })
      expect(await artifacts.find(keyOf(later))).toBeDefined()
      await artifacts.destroyOfAccount(schoolId, 'Session', accountId)
      expect(await artifacts.find(keyOf(later))).toBeUndefined()
    })

    test('two schools never meet: not by id, second key, account, grant or client', async () => {
      const elsewhere = randomUUID()
      const grant = await store.newGrant(schoolId)
      const accountId = randomUUID()
      const mine = await saved({ ...grant, uid: randomUUID(), accountId })
      const there = { ...keyOf(mine), schoolId: elsewhere }
      expect(await artifacts.find(there)).toBeUndefined()
      expect(await artifacts.findByUid(elsewhere, mine.model, mine.uid ?? '')).toBeUndefined()
      expect(await artifacts.consume(there)).toBe(false)
      await artifacts.destroy(there)
      await artifacts.destroyOfAccount(elsewhere, mine.model, accountId)
      await artifacts.endGrant({ ...grant, schoolId: elsewhere })
      await artifacts.endClient({ ...grant, schoolId: elsewhere })
      await artifacts.restoreClient({ ...grant, schoolId: elsewhere })
      expect(await artifacts.saveOnce({ ...artifact(), id: mine.id, schoolId: elsewhere, payload: '{"elsewhere":true}' })).toBe(true)
      expect(await artifacts.find(keyOf(mine))).toMatchObject({ payload: mine.payload, consumedAt: null })
    })
  })
}
