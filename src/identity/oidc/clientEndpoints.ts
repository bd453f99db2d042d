import { admit, type ClientRequest, finish, type Handler, type LimitedEndpoint, refuseBasic, runEngine } from './endpointHandler.ts'
import { newExchange } from './engineTransaction.ts'
import { identifyClient } from './identifyClient.ts'
import { namedClient } from './namedClient.ts'
import { readForm } from './readEngineForm.ts'
import { prefetchRevocation, readRevocationFacts, respondToRevocation, revokePlainly } from './revocation.ts'
import { narrowIssuedScope, narrowRequestedScope, prefetch, presentedIn } from './tokenEndpoint.ts'
import { hideJwt, narrowIntrospection, prefetchToken } from './tokenInformation.ts'
import { findOutcome, respond } from './tokenOutcome.ts'

const endpoint =
  (limit: LimitedEndpoint, handle: (request: ClientRequest) => Promise<void>): Handler =>
  async (ctx, args) => {
    const admission = admit(ctx, args, limit)
    try {
      refuseBasic(ctx)
      const form = await readForm(ctx)
      const clientId = identifyClient(form)
      ctx.state.clientId = namedClient(clientId)
      await handle({ ctx, args, exchange: newExchange(), admission, form, clientId })
    } finally {
      // Handlers count the request together with other work. What failed before is counted here.
      await admission.count()
    }
  }

/** The token endpoint (RFC 6749 section 3.2). */
export const token = endpoint('token', async (request) => {
  const presented = presentedIn(request.form)
  const accessEndedAt = await prefetch(request, presented)
  const granted = await narrowRequestedScope(request, presented)
  await runEngine(request)
  await narrowIssuedScope(request)
  const outcome = await findOutcome(request, granted)
  await finish(request, { audit: respond(request, outcome), accessEndedAt })
})

/** The revocation endpoint (RFC 7009): revoking any token of a grant revokes the grant. */
export const revoke = endpoint('token', async (request) => {
  const mark = await prefetchRevocation(request)
  if (!(await revokePlainly(request, mark))) {
    await readRevocationFacts(request)
    await runEngine(request)
  }
  await respondToRevocation(request, mark)
  await finish(request)
})

/** The introspection endpoint (RFC 7662). */
export const introspect = endpoint('introspection', async (request) => {
  hideJwt(request)
  await prefetchToken(request)
  await runEngine(request)
  await narrowIntrospection(request)
  await finish(request)
})
