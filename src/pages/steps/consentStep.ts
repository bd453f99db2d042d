import type { Context } from 'koa'
import { hash } from '../../base/keyring.ts'
import { browserName } from '../../base/text/browserName.ts'
import { languages } from '../../base/text/languages.ts'
import { quotedName, type TranslatedText } from '../../database/outbox/sendMessage.ts'
import { setAsksFirst } from '../../database/tables/grants.ts'
import { type Reader, readerOf } from '../../engine/declare/permissionSentences.ts'
import { allowedScopes } from '../../identity/accounts/allowedScopes.ts'
import type { SignedInAccount } from '../../identity/accounts/signedInAccount.ts'
import { accessRule, secondsOf } from '../../identity/apps/accessDuration.ts'
import { isStopped } from '../../identity/apps/schoolAppRules.ts'
import { subjectOf } from '../../identity/oidc/claims.ts'
import { askOwners } from '../../school/apps/changeAppRules.ts'
import { findActiveAccount } from '../activeAccount.ts'
import { idEnding } from '../appNames.ts'
import { askFirstField, readAskFirst } from '../askFirstField.ts'
import { auditEntry } from '../auditEntry.ts'
import { consentPage } from '../consentPage.ts'
import { presetOf } from '../consentPresets.ts'
import type { ConsentScope } from '../consentScope.ts'
import { allowedAgain, type Decision, decide, type RequestedScopes, requestedScopes } from '../consentScopes.ts'
import { readDuration } from '../durationField.ts'
import type { OpenInteraction } from '../interaction.ts'
import { knownAccount, knownPerson, knownTerms } from '../knownRows.ts'
import { isManualCodeChosen } from '../manualCode.ts'
import type { NotifyPerson } from '../notifyPerson.ts'
import type { ConsentingPerson, PageServices } from '../pagesArguments.ts'
import { plainText } from '../plainText.ts'
import { createTexts } from '../texts.ts'
import type { SignInStep, StepContext } from './signInStep.ts'

type ConsentingAccount = Omit<SignedInAccount, 'deletion_scheduled_at' | 'has_second_factor'>

/** Grants the requested scopes that the person may grant and has ticked. */
export function consentStep(args: PageServices): SignInStep {
  return {
    name: 'consent',
    prompt: 'consent',
    isNeeded: () => true,
    async page(context) {
      const open = authorizationOf(context)
      const consenting = await findConsenting(context.ctx, args, open)
      if (!consenting) return undefined
      const { person, account } = consenting
      const terms = await knownTerms(args, context.school.id, open.clientId)
      const requested = requestedScopes(open.interaction, args.scopes)
      const before = await allowedScopes(args.databaseOf(context.school.id).kysely, {
        accountId: person.accountId,
        clientId: open.clientId,
      })
      const pageContext = await context.pageContext()
      const content = {
        imitated: await open.imitated(),
        requested,
        allowed: allowedAgain(requested, before),
        terms,
        grantable: isStopped(terms.access) ? new Set<string>() : args.grantable(person.role, terms),
        reader: readerOf(person.role),
        accessRule: accessRule(args.oauth(), terms),
        askFirst: askFirstField(terms.asksFirst ? 'always' : args.oauth().consent.ask_first, before.asksFirst),
        preset: presetOf(context.ctx.query),
        signedIn: account,
      }
      return { render: (views, csrf) => views.render('consent', consentPage(views, { pageContext, open, csrf, ...content })) }
    },
    async answer(context, form) {
      const open = authorizationOf(context)
      const consenting = await findConsenting(context.ctx, args, open)
      if (!consenting) return { kind: 'account gone' }
      const { accountId, role } = consenting.person
      const { transaction: change } = args.databaseOf(context.school.id)
      const terms = await knownTerms(args, context.school.id, open.clientId)
      if (terms.access === 'awaited') await change((writer) => askOwners(writer, open.clientId))
      if (isStopped(terms.access)) return { kind: 'refused', description: refusals[terms.access] }
      // The form names ticked scopes only; everything else comes from the stored request.
      const requested = requestedScopes(open.interaction, args.scopes)
      const decision = decide(requested, args.grantable(role, terms), new Set(form.getAll('scope')))
      if (decision.granted.length === 0) return { kind: 'refused', description: 'The person granted none of the requested scopes.' }

      const rule = accessRule(args.oauth(), terms)
      const duration = readDuration(form, rule)
      const manualCode = isManualCodeChosen(form, open)
      const owner = { accountId: subjectOf(accountId), expiresIn: secondsOf(duration, rule) }
      const grant = newGrant(open, owner, requested, decision)
      const details = {
        granted: decision.granted.join(' '),
        refused: decision.refused.join(' '),
        resources: [...requested.resources.keys()],
        duration,
        ...(manualCode ? { handed_over: true } : {}),
        browser: browserName(context.ctx.get('User-Agent')),
      }
      const ids = { account_id: accountId, client_id: open.clientId, grant_id: grant.jti }
      const exchange = args.exchange()
      if (!exchange) throw new Error('consent is given in the exchange of a request only')
      exchange.auditOfGrant = args.counted(auditEntry(context.ctx, 'consent.granted', { ...ids, details }))
      const grantId = await grant.save()
      const asksFirst = readAskFirst(form)
      if (asksFirst !== undefined) await change((writer) => setAsksFirst(writer, { accountId, clientId: open.clientId, asksFirst }))
      if (args.exchange()?.isFirstGrant === true) {
        const { isInformal } = (await context.pageContext()).texts
        await notifyOfApp(context.ctx, args, { open, person: consenting.person, granted: decision.granted, isInformal })
      }
      return { kind: 'done', result: { consent: { grantId }, hand_over: manualCode } }
    },
  }
}

/** The descriptions of the errors that an app gets if the school does not allow it. */
const refusals = {
  awaited: 'An owner of the school has to agree to this app first, and was asked to. Send the person here again when they have agreed.',
  none: 'The school allows no apps that register themselves.',
} as const

function authorizationOf({ open }: StepContext): OpenInteraction {
  if (!open) throw new Error('consent is given to an authorization request only')
  return open
}

/** The person and the account that give consent; undefined if the account can no longer be used. */
async function findConsenting(
  ctx: Context,
  services: PageServices,
  { accountId, signedInAt }: OpenInteraction,
): Promise<{ person: ConsentingPerson; account: ConsentingAccount } | undefined> {
  if (accountId === undefined) return undefined
  const account = await findActiveAccount(ctx, (schoolId, id) => knownAccount(services, schoolId, id), { accountId, signedInAt })
  const person = account && (await knownPerson(services, ctx.state.school.id, accountId))
  return person && { person, account }
}

/**
 * Returns the one grant of an authorization request. Its id is derived from the id of the interaction, so a form that is sent twice names
 * the same grant. Refused scopes are recorded: the engine would ask for them again and again otherwise.
 */
function newGrant(
  { provider, clientId, interaction }: OpenInteraction,
  owner: { accountId: string; expiresIn: number },
  { resources }: RequestedScopes,
  { granted, refused }: Decision,
): InstanceType<OpenInteraction['provider']['Grant']> {
  const grant = new provider.Grant({ ...owner, clientId })
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

/** So many permissions are listed in an e-mail; the others are counted. */
const maxListed = 8

/** E-mails a person that an app got access to their account for the first time. */
async function notifyOfApp(
  ctx: Context,
  { scopes, notify }: { scopes: readonly ConsentScope[]; notify: NotifyPerson },
  {
    open,
    person,
    granted,
    isInformal,
  }: { open: OpenInteraction; person: ConsentingPerson; granted: readonly string[]; isInformal: boolean },
): Promise<void> {
  const { accountId, role } = person
  const names = new Set(granted)
  const permissions = permissionsLine(
    scopes.filter(({ name }) => names.has(name)),
    { reader: readerOf(role), isInformal },
  )
  // An app without a name is identified by its id.
  const app = quotedName(plainText(open.clientName || open.clientId, 60))
  const { origin } = open
  if (origin?.registeredVia === 'integration') return notify(ctx, accountId, 'app_connected_approved', { app, permissions })
  const imitated = (await open.imitated()) ?? open.claimedRole
  const ending = quotedName(idEnding(open.clientId))
  if (imitated !== undefined)
    return notify(ctx, accountId, 'app_connected_imitating', { app, ending, permissions, imitated: quotedName(imitated) })
  if (origin?.registeredVia === 'document')
    return notify(ctx, accountId, 'app_connected_website', { app, permissions, host: quotedName(origin.host) })
  return notify(ctx, accountId, 'app_connected', { app, ending, permissions })
}

/** Returns the sentences of the consent page in one line, in every language. */
function permissionsLine(scopes: readonly ConsentScope[], { reader, isInformal }: { reader: Reader; isInformal: boolean }): TranslatedText {
  const lines = languages.map((language) => {
    const texts = createTexts(language, isInformal)
    const sentences = scopes.map((scope) => texts.sentence(scope, reader))
    const more = sentences.length - maxListed
    const listed = more > 0 ? [...sentences.slice(0, maxListed), texts.counted('email.more_permissions', more)] : sentences
    return [language, `${listed.join('; ')}.`] as const
  })
  return Object.fromEntries(lines) as TranslatedText
}
