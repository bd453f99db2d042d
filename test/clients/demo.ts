import { expect } from 'vitest'
import { get, personCalled, withToken } from '../support/agent.ts'
import { type Callback, listenForCallback } from '../support/callback.ts'
import type { Choice, Person } from '../support/person.ts'
import { createHome, type ServiceProcess, startProcess } from '../support/process.ts'

/** The service as a stranger has it after `npm start`, with its demo school. */
export interface Demo {
  issuer: string
  /** Where the client under test listens. */
  callback: Callback
  /** Opens the URL as a learner of the demo school, signs in and consents. Returns the request that arrived at the client's listener. */
  visit(address: URL, choice?: Choice & { person?: Person }): Promise<URL>
  stop(): Promise<void>
}

export const learner = (): Person => personCalled('learner001@example.org')

/** Scopes as the set that they are (RFC 6749 section 3.3). */
export const scopesOf = (text: string | undefined): Set<string> => new Set(text?.split(' '))

export async function startDemo(): Promise<Demo> {
  const home = await createHome()
  const service: ServiceProcess = await startProcess({ home, viaNpm: true, hasDemo: true })
  const callback = await listenForCallback()
  return {
    issuer: service.issuer,
    callback,
    async visit(address, { person = learner(), ...choice } = {}) {
      const redirect = await person.authorize(address.href, choice)
      await fetch(redirect)
      return callback.next()
    },
    async stop() {
      await callback.close()
      await service.stop()
      await home.remove()
    },
  }
}

/** Checks that the token gives access to the courses and to the account of the person who signed in. */
export async function expectAlive(issuer: string, token: string): Promise<void> {
  const account = await withToken(`${issuer}/api/v1/account`, token)
  expect([account.status, account.body.email]).toEqual([200, 'learner001@example.org'])
  const courses = await withToken(`${issuer}/api/v1/courses`, token)
  expect(courses.status).toBe(200)
  expect(courses.body.data.length).toBeGreaterThan(0)
}

/** Checks that an invalid token is rejected at a public URL, with a challenge whose metadata URL works. */
export async function expectDead(issuer: string, token: string): Promise<void> {
  for (const path of ['/api/v1/account', '/api/v1/courses']) {
    const refused = await withToken(issuer + path, token)
    expect([path, refused.status, refused.body.error]).toEqual([path, 401, 'invalid_token'])
    const pointer = /resource_metadata="([^"]+)"/.exec(refused.headers.get('www-authenticate') ?? '')?.[1]
    expect((await get(pointer ?? 'no pointer')).body.resource).toBe(issuer)
  }
}
