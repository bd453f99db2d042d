import { admit, finish, type Handler, type LimitedEndpoint, refuseAuthorizationHeader, runEngine, type Step } from './endpointHandler.ts'
import { newExchange } from './engineTransaction.ts'
import { identifyClient } from './identifyClient.ts'
import { readForm } from './readEngineForm.ts'
import { prefetchRevocation, respondToRevocation } from './revocation.ts'
import {
  auditReplayedCode,
  commitTokens,
  findPresented,
  narrowIssuedScope,
  narrowRequestedScope,
  prefetch,
  replay,
} from './tokenEndpoint.ts'
import { narrowIntrospection, prefetchToken } from './tokenInformation.ts'

const endpoint =
  (limit: LimitedEndpoint, steps: readonly Step[]): Handler =>
  async (ctx, args) => {
    const request = { ctx, args, exchange: newExchange(), admission: admit(ctx, args, limit) }
    try {
      for (const step of steps) await step(request)
    } finally {
      // Steps count the request together with other work. What failed before is counted here.
      await request.admission.count()
    }
  }

const readRequest = [refuseAuthorizationHeader, readForm, identifyClient]

/** The token endpoint (RFC 6749 section 3.2). */
export const token = endpoint('token', [
  ...readRequest,
  findPresented,
  prefetch,
  narrowRequestedScope,
  runEngine,
  narrowIssuedScope,
  commitTokens,
  replay,
  auditReplayedCode,
  finish,
])

/** The revocation endpoint (RFC 7009): revoking any token of a grant revokes the grant. */
export const revoke = endpoint('token', [...readRequest, prefetchRevocation, runEngine, respondToRevocation, finish])

/** The introspection endpoint (RFC 7662). */
export const introspect = endpoint('introspection', [...readRequest, prefetchToken, runEngine, narrowIntrospection, finish])
