import type { IncomingMessage } from 'node:http'
import type { Admission, Admit } from '../../../base/http/admission.ts'
import type { FailureLimit, Policy } from '../../../base/http/rateLimit.ts'
import type { Keyring } from '../../../base/keyring.ts'
import { addressKey } from '../../../base/net/networkKey.ts'
import type { School } from '../../../base/school.ts'
import type { Grantable } from '../../apps/grantable.ts'
import { type Exchanges, newExchange } from '../engineTransaction.ts'
import { namedClient } from '../namedClient.ts'
import { rememberChecked } from '../requestFacts.ts'
import type { Runtimes, SchoolRuntime } from '../runtimes.ts'
import type { Stores } from '../stores.ts'
import type { CheckedToken, TokenChecks } from '../tokenChecks.ts'
import { type EngineClient, plainAnswer } from './plainAnswer.ts'
import type { PlainRequest } from './plainRequest.ts'

/** A count and a check that were begun for a request. The pipeline repeats neither. */
export interface BegunCheck {
  /** The count of the request, at endpoints that count every request. */
  admission?: Admission | undefined
  /** Resolves if the caller is within the limits. */
  within: Promise<void>
  checked: Promise<CheckedToken>
}

export type BegunChecks = WeakMap<IncomingMessage, BegunCheck>

export interface BodyArguments {
  begunChecks: BegunChecks
  runtimes: Runtimes
  stores: Stores
  exchanges: Exchanges
  keyring: Keyring
  tokenChecks: Pick<TokenChecks, 'check'>
  badCredentials: Pick<FailureLimit, 'check'>
  admit: Admit
  introspectionLimit: Policy
  grantable: Grantable
}

/** A response, and whom the log names. */
export interface PlainResponse {
  body: Record<string, unknown>
  clientId: string | undefined
  accountId: string | undefined
}

interface LaneRequest extends PlainRequest {
  school: School
  address: string
}

/**
 * Returns a function that counts the request, checks its token, both in one round trip, and returns the response; undefined if the engine
 * has to decide.
 */
export function bodies(args: BodyArguments): (request: IncomingMessage, wanted: LaneRequest) => Promise<PlainResponse | undefined> {
  const { begunChecks, runtimes, stores, tokenChecks, badCredentials, admit, introspectionLimit } = args
  const engineClients = createEngineClients(args.exchanges)
  return async (request, wanted) => {
    const { school, address, token, caller } = wanted
    const runtime = await runtimes.get(school)
    const admission = caller && admit(introspectionLimit, { schoolId: school.id, subject: addressKey(address) })
    const [within, checking] = stores.ephemeral.together(
      () =>
        [
          admission ? admission.count() : badCredentials.check({ state: { school, address } }),
          tokenChecks.check(school.id, token, caller?.clientId),
        ] as const,
    )
    begunChecks.set(request, { admission, within, checked: checking })
    const [, checked] = await Promise.all([within, checking])
    const engineClient = engineClients(runtime, token, checked)
    const body = await plainAnswer(wanted, checked, { ...args, school, runtime, engineClient })
    if (!body) return undefined
    const { found } = checked
    return caller
      ? { body, clientId: namedClient(caller.clientId), accountId: undefined }
      : { body, clientId: found?.clientId ?? undefined, accountId: found?.accountId ?? undefined }
  }
}

/** Returns a function that reads a client as the engine does. The verdict of an engine about the same metadata is kept. */
function createEngineClients(exchanges: Exchanges) {
  const known = new WeakMap<SchoolRuntime, WeakMap<object, Promise<EngineClient | undefined>>>()
  return (runtime: SchoolRuntime, token: string, checked: CheckedToken) =>
    ({ id, metadata }: { id: string; metadata: object }): Promise<EngineClient | undefined> => {
      const ofRuntime = known.get(runtime) ?? new WeakMap<object, Promise<EngineClient | undefined>>()
      known.set(runtime, ofRuntime)
      const kept = ofRuntime.get(metadata)
      if (kept) return kept
      const exchange = newExchange()
      rememberChecked(exchange.facts, token, checked)
      // An error of the engine is that of the client's metadata.
      const reading = exchanges.run(exchange, () => runtime.provider.Client.find(id)).catch(() => undefined)
      ofRuntime.set(metadata, reading)
      return reading
    }
}
