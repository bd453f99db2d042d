import type { Context } from 'koa'
import { noteDeletion } from '../../database/tables/deciders.ts'
import { mergeProposal, secondDecides } from '../../engine/write/mergeProposal.ts'
import type { WithStore } from '../../engine/write/replay.ts'
import { callerOfGrant } from '../../identity/oidc/bearer.ts'
import type { OwnProposals } from '../../pages/account/accountArguments.ts'
import { operationArguments } from './api.ts'
import type { Foundation } from './foundation.ts'

/** Creates the functions with which the account pages show and merge the proposals of apps, with the permissions that these have now. */
export function createOwnProposals(foundation: Foundation): OwnProposals {
  const { runtime, replay, grantable, databaseOf } = foundation
  const { operations: _operations, run: _run, ...context } = operationArguments(foundation)
  const rules = { grantable, mustAskFirst: () => runtime.config.oauth.consent.ask_first === 'always' }
  const around = ({ state: { school, requestId, address } }: Context): WithStore => {
    const store = databaseOf(school.id)
    return { ...context, database: store.kysely, store, school, requestId, address }
  }
  const callerOf = (ctx: Context, grantId: string) =>
    callerOfGrant(foundation.database.kysely, { schoolId: ctx.state.school.id, grantId }, rules)
  return {
    async show(ctx, { id, grant_id, needs_second: isNoted }, requests) {
      const caller = await callerOf(ctx, grant_id)
      if (!caller) return undefined
      const context = around(ctx)
      const replayed = await replay.show(context, caller, requests)
      const needsSecond = secondDecides(caller, replayed)
      // The school has changed since: the other owners and admins see the proposal from now on.
      if (needsSecond && !isNoted) await context.store.transaction((writer) => noteDeletion(writer, id))
      return { replayed, needsSecond }
    },
    async merge(ctx, { grant_id }, merge) {
      const caller = await callerOf(ctx, grant_id)
      return caller ? await mergeProposal(around(ctx), caller, merge, replay) : 'late'
    },
  }
}
