import { type Agent, allScopes, createAgent, personCalled } from '../../test/support/agent.ts'
import type { SeededRandom } from '../seededRandom.ts'

/** People of the demo school by role. If an account ends during the run, the next one of its role takes over. */
const people: Readonly<Record<string, readonly string[]>> = {
  owner: ['owner@example.com'],
  lecturer: ['lecturer1@example.com', 'lecturer2@example.com', 'lecturer3@example.com'],
  learner: ['learner001@example.org', 'learner002@example.org', 'learner003@example.org', 'learner004@example.org'],
}

export interface Callers {
  roles: readonly string[]
  agent: Agent
  /** The token of a role; undefined for `nobody`. */
  token(role: string): string | undefined
  tokens(): string[]
  /** Replaces the token of a role that was rejected. False if no account of the role can sign in. */
  renew(role: string): Promise<boolean>
  pick(random: SeededRandom): string
}

/** Registers a client, and signs in one person of each role with every scope that the role can grant. */
export async function createCallers(origin: string): Promise<Callers> {
  const agent = await createAgent(origin)
  const tokens = new Map<string, string>()
  const waiting = new Map(Object.entries(people).map(([role, emails]) => [role, [...emails]]))
  const renewals = new Map<string, Promise<boolean>>()

  async function signIn(role: string): Promise<boolean> {
    const emails = waiting.get(role) ?? []
    while (emails.length > 0) {
      try {
        const reply = await agent.tokens(personCalled(emails[0] ?? ''), { scope: allScopes }, { scopes: 'all' })
        tokens.set(role, String(reply.body.access_token))
        return true
      } catch {
        emails.shift()
      }
    }
    tokens.delete(role)
    return false
  }

  for (const role of Object.keys(people)) {
    if (!(await signIn(role))) throw new Error(`no ${role} can sign in`)
  }
  return {
    roles: [...Object.keys(people), 'nobody'],
    agent,
    token: (role) => tokens.get(role),
    tokens: () => [...tokens.values()],
    renew(role) {
      const running = renewals.get(role) ?? signIn(role).finally(() => renewals.delete(role))
      renewals.set(role, running)
      return running
    },
    pick: (random) => random.pick(['owner', 'owner', 'owner', ...Object.keys(people), 'nobody']),
  }
}
