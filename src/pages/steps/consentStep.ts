import type { Context } from 'koa'
import { allowedScopes } from '../../domain/accounts/allowedScopes.ts'
import type { SignedInAccount } from '../../domain/accounts/signedInAccount.ts'
import { browserName } from '../../lib/browserName.ts'
import { hash } from '../../lib/keyring.ts'
import { subjectOf } from '../../oidc/claims.ts'
import type { Role } from '../../policy/caller.ts'
import { readerOf } from '../../policy/permissionSentences.ts'
import type { Database } from '../../store/database.ts'
import { findActiveAccount } from '../activeAccount.ts'
import { auditEntry } from '../auditEntry.ts'
import { consentPage, untickedQuery } from '../consentPage.ts'
import type { ConsentScope } from '../consentScope.ts'
import { allowedAgain, type Decision, decide, type RequestedScopes, requestedScopes } from '../consentScopes.ts'
import { isManualCodeChosen } from '../manualCode.ts'
import type { NotifyPerson } from '../notifyPerson.ts'
import type { OpenInteraction } from '../openInteraction.ts'
import type { ConsentingPerson, PageAuditEntry } from '../pagesArguments.ts'
import { notifyOfApp } from './notifyOfApp.ts'
import type { SignInStep, StepVisit } from './signInStep.ts'

export interface ConsentStepArguments {
  database: Database
  /** Every scope, in the order in which pages show them. */
  scopes: readonly ConsentScope[]
  grantable(role: Role): ReadonlySet<string>
  /** Returns the account, unless it has been disabled. */
  findAccount(schoolId: string, accountId: string): Promise<ConsentingAccount | undefined>
  findPerson(schoolId: string, accountId: string): Promise<ConsentingPerson | undefined>
  /** Writes an audit row together with the grant that is saved next. */
  auditWithGrant(entry: PageAuditEntry): void
  /** Returns true if the grant that this request has saved is the only one of the person to the client. */
  isFirstGrant(): boolean
  notify: NotifyPerson
}

/** The columns of the account that consents. */
type ConsentingAccount = Omit<SignedInAccount, 'deletion_scheduled_at' | 'has_second_factor'>

/** Grants the requested scopes that the person may grant and has ticked. */
export function consentStep(args: ConsentStepArguments): SignInStep {
  return {
    name: 'consent',
    prompt: 'consent',
    isNeeded: () => true,
    async page(visit) {
      const open = authorizationOf(visit)
      const consenting = await findConsenting(visit.ctx, args, open)
      if (!consenting) return undefined
      const { person, account } = consenting
      const requested = requestedScopes(open.interaction, args.scopes)
      const before = await allowedScopes(args.database.kysely, visit.school.id, { accountId: person.accountId, clientId: open.clientId })
      const pageContext = await visit.pageContext()
      const content = {
        imitated: await open.imitated(),
        requested,
        allowed: allowedAgain(requested, before),
        grantable: args.grantable(person.role),
        reader: readerOf(person.role),
        isUnticked: visit.ctx.query[untickedQuery.name] === untickedQuery.value,
        signedIn: account,
      }
      return { render: (views, csrf) => views.render('consent', consentPage(views, { pageContext, open, csrf, ...content })) }
    },
    async answer(visit, form) {
      const open = authorizationOf(visit)
      const consenting = await findConsenting(visit.ctx, args, open)
      if (!consenting) return { kind: 'account gone' }
      const { accountId, role } = consenting.person
      // The form names ticked scopes only; everything else comes from the stored request.
      const requested = requestedScopes(open.interaction, args.scopes)
      const decision = decide(requested, args.grantable(role), new Set(form.getAll('scope')))
      if (decision.granted.length === 0) return { kind: 'refused', description: 'The person granted none of the requested scopes.' }

      const manualCode = isManualCodeChosen(form, open)
      const grant = newGrant(open, subjectOf(accountId), requested, decision)
      const details = {
        granted: decision.granted.join(' '),
        refused: decision.refused.join(' '),
        resources: [...requested.resources.keys()],
        ...(manualCode ? { handed_over: true } : {}),
        browser: browserName(visit.ctx.get('User-Agent')),
      }
      const ids = { account_id: accountId, client_id: open.clientId, grant_id: grant.jti }
      args.auditWithGrant(auditEntry(visit.ctx, 'consent.granted', { ...ids, details }))
      const grantId = await grant.save()
      if (args.isFirstGrant()) await notifyOfApp(visit.ctx, args, { open, person: consenting.person, granted: decision.granted })
      return { kind: 'done', result: { consent: { grantId }, hand_over: manualCode } }
    },
  }
}

function authorizationOf({ open }: StepVisit): OpenInteraction {
  if (!open) throw new Error('consent is given to an authorization request only')
  return open
}

/** The person and the account that give consent; undefined if the account can no longer be used. */
async function findConsenting(
  ctx: Context,
  { findAccount, findPerson }: ConsentStepArguments,
  { accountId, signedInAt }: OpenInteraction,
): Promise<{ person: ConsentingPerson; account: ConsentingAccount } | undefined> {
  if (accountId === undefined) return undefined
  const account = await findActiveAccount(ctx, findAccount, { accountId, signedInAt })
  const person = account && (await findPerson(ctx.state.school.id, accountId))
  return person && { person, account }
}

/**
 * Returns the one grant of an authorization request. Its id is derived from the id of the interaction, so a form that is sent twice names
 * the same grant. Refused scopes are recorded: the engine would ask for them again and again otherwise.
 */
function newGrant(
  { provider, clientId, interaction }: OpenInteraction,
  accountId: string,
  { resources }: RequestedScopes,
  { granted, refused }: Decision,
): InstanceType<OpenInteraction['provider']['Grant']> {
  const grant = new provider.Grant({ accountId, clientId })
  grant.jti = hash(`grant ${interaction.uid}`)
  grant.addOIDCScope(granted)
  if (refused.length > 0) grant.rejectOIDCScope(refused)
  for (const [resource, names] of resources) {
    const ofResource = new Set(names)
    grant.addResourceScope(resource, new Set(granted).intersection(ofResource))
    grant.rejectResourceScope(resource, new Set(refused).intersection(ofResource))
  }
  return grant
}
