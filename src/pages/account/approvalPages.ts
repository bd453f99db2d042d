import { accountApprovalPath, accountPaths } from '../../base/accountPaths.ts'
import { fromPublicId, toPublicId } from '../../base/ids.ts'
import { withQuery } from '../../base/text/withQuery.ts'
import {
  findOwnProposal,
  isOpen,
  listOwnProposals,
  moveProposal,
  type OwnProposal,
  type Proposal,
  requestsOf,
  type StoredRequest,
} from '../../database/tables/proposals.ts'
import { openRequest, type SealedRequest } from '../../engine/write/replay.ts'
import { type ChangesReader, visibleChanges } from '../../engine/write/visibleChanges.ts'
import { connectedApps } from '../../identity/accounts/connectedApps.ts'
import { changesReader } from '../../school/apps/auditTrail.ts'
import { appNames } from '../appNames.ts'
import { pageProblem } from '../pageProblem.ts'
import { type Texts, textOf } from '../texts.ts'
import type { AccountItem, AccountSection } from './accountPage.ts'
import { seesPeople } from './appActivityPages.ts'
import { approvalSections, questionOf, type ShownProposal, type ShownRequest, stateOf } from './approvalSections.ts'
import { pauseApp } from './appsPages.ts'
import type { OwnPage, OwnRequest } from './ownPage.ts'
import { proposalSections } from './proposalSections.ts'
import { idsIn, readRequestRows } from './requestRows.ts'

const [shown, maxApps] = [100, 500]
/** Later requests of the list are named by what is stored of them. */
const named = 10

async function appsOf({ reader, accountId }: OwnRequest) {
  const { apps } = await connectedApps(reader, { accountId, limit: maxApps, state: 'any' })
  return (texts: Texts, grantId: string): string => {
    const app = apps.find((one) => one.grantId === grantId)
    return app ? textOf(appNames(texts, apps)(app)) : texts.text('apps.nameless')
  }
}

/** Returns the proposal of the address. The same error for those of other accounts, drafts and unknown ids. */
async function requested({ reader, accountId, params }: OwnRequest): Promise<OwnProposal> {
  const id = fromPublicId('apr', String(params.id))
  const found = id === undefined ? undefined : await findOwnProposal(reader, { accountId, id })
  if (!found) throw pageProblem('nothing_here', 'not_found', 'There is no such page.')
  return found
}

/** Returns a request with what it names; undefined if it is no longer stored, or its key is gone. */
async function shownRequest(request: OwnRequest, operation: string, stored: SealedRequest | undefined): Promise<ShownRequest | undefined> {
  const described = request.services.describeRequest(operation)
  if (!stored || !described) return undefined
  const { content, effect } = stored
  const isStaff = await seesPeople(request)
  const changes = visibleChanges(effect.changes, await changesReader(request.reader, { isStaff, accountId: request.accountId }))
  const rows = await readRequestRows(request, { seesPeople: isStaff, content, described, changes })
  return { content, described, rows }
}

const opened = ({ services }: OwnRequest, request: StoredRequest | undefined): SealedRequest | undefined =>
  openRequest({ externalServices: services }, request?.sealed ?? null)

interface ListedProposal {
  proposal: Proposal
  count: number
  first: SealedRequest | undefined
  request: ShownRequest | undefined
}

interface Listed {
  found: readonly ListedProposal[]
  nameOf: Awaited<ReturnType<typeof appsOf>>
}

/** The requests of apps about which a person decides. */
export const approvalsPage: OwnPage<Listed> = {
  path: accountPaths.approvals,
  section: accountPaths.apps,
  async read(request) {
    const found: ListedProposal[] = []
    for (const proposal of await listOwnProposals(request.reader, { accountId: request.accountId, limit: shown })) {
      const requests = await requestsOf(request.reader, proposal.id)
      const first = opened(request, requests[0])
      const isNamed = proposal.name === null && (isOpen(proposal) || found.length < named)
      const shownFirst = isNamed ? await shownRequest(request, requests[0]?.operation ?? '', first) : undefined
      found.push({ proposal, count: requests.length, first, request: shownFirst })
    }
    return { found, nameOf: await appsOf(request) }
  },
  build({ texts }, { found, nameOf }) {
    const items = (isPending: boolean): AccountItem[] =>
      found.filter(({ proposal }) => isOpen(proposal) === isPending).map((one) => itemOf(texts, one, nameOf(texts, one.proposal.grant_id)))
    const section = (id: 'waiting' | 'decided', list: AccountItem[]): AccountSection => ({
      id,
      heading: texts.text(`approval.${id}`),
      paragraphs: list.length === 0 ? [texts.parts(`approval.${id}_none`, {})] : [],
      items: list,
    })
    return {
      title: 'approval.list_title',
      back: { href: accountPaths.apps, label: texts.text('activity.back') },
      introduction: texts.parts('approval.introduction', {}),
      sections: [section('waiting', items(true)), section('decided', items(false))],
    }
  },
}

interface Shown extends ShownProposal {
  nameOf: Listed['nameOf']
}

const positionsIn = (text: unknown): Set<number> => new Set(String(text).split(',').map(Number))

/** The page on which a person decides about requests of an app. Nothing else approves them. */
export const approvalPage: OwnPage<Shown> = {
  path: `${accountPaths.approvals}/:id`,
  section: accountPaths.apps,
  notices: {
    once: 'approval.done_once',
    refuse: 'approval.done_refused',
    pause: 'approval.done_paused',
    late: 'approval.done_late',
    changed: 'approval.done_changed',
  },
  async read(request) {
    const { ctx, services, reader } = request
    const found = await requested(request)
    const requests = await requestsOf(reader, found.id)
    const stored = new Map(requests.flatMap((one) => (opened(request, one) ? [[one.position, opened(request, one)] as const] : [])))
    const only = ctx.query.only === undefined ? undefined : positionsIn(ctx.query.only)
    const chosen = requests.filter(({ position }) => only?.has(position) ?? true)
    const canDecide = isOpen(found) && stored.size === requests.length
    const shownNow = canDecide ? await services.proposals.show(ctx, found, chosen) : undefined
    const isOwn = found.account_id === request.accountId
    const proposal = { ...found, may_decide: found.may_decide && !(isOwn && shownNow?.needsSecond) }
    const isSingle = proposal.name === null
    const changesOf = await changesReader(reader, { isStaff: await seesPeople(request), accountId: request.accountId })
    const single = isSingle ? await shownRequest(request, requests[0]?.operation ?? '', stored.get(1)) : undefined
    return {
      ...{ proposal, requests, single },
      stored: new Map([...stored].flatMap(([position, one]) => (one ? [[position, one] as const] : []))),
      replayed: shownNow?.replayed,
      names: isSingle ? new Map() : await namesIn(request, [...stored.values()], changesOf),
      nameOf: await appsOf(request),
      reader: changesOf,
    }
  },
  build({ texts, request: { path } }, shown) {
    const { proposal, stored, single, requests, nameOf } = shown
    const first = stored.get(1)
    const heading =
      proposal.name === null ? questionOf(texts, { proposal, first, request: single }) : proposalTitle(texts, proposal, requests.length)
    const page = { ...shown, path, app: nameOf(texts, proposal.grant_id) }
    return {
      title: { text: heading },
      back: { href: accountPaths.approvals, label: texts.text('approval.back') },
      sections: proposal.name === null ? approvalSections(texts, page) : proposalSections(texts, page),
    }
  },
  forms: {
    '': {
      isConfirmed: true,
      async run(request) {
        const { change, audit, sent, ctx, path, reader } = request
        const proposal = await requested(request)
        const { grant_id, client_id, id, may_decide } = proposal
        if (!may_decide) throw pageProblem('nothing_here', 'access_denied', 'Another owner or admin decides about this.')
        const answer = sent.get('decision') ?? ''
        const decided = async (event: 'approval.approved' | 'approval.refused', decision: string): Promise<void> => {
          const operations = [...new Set((await requestsOf(reader, id)).map(({ operation }) => operation))]
          const operation = operations.length === 1 ? operations[0] : undefined
          const details = { approval: toPublicId('apr', id), ...(operation ? { operation } : { operations }), decision }
          await audit(event, { client_id, grant_id, details })
        }
        if (answer === 'once') {
          const offered = positionsIn(sent.get('offered'))
          const positions = proposal.name === null ? offered : new Set([...offered].filter((at) => sent.get(`request_${at}`) === 'yes'))
          if (positions.size < offered.size) return withQuery(path, { only: [...positions].join(',') })
          const done = await request.services.proposals.merge(ctx, proposal, {
            ...{ proposalId: id, positions, seen: sent.get('seen') ?? '' },
            decidedBy: request.accountId,
          })
          if (done !== 'merged') return done
          await decided('approval.approved', answer)
          return answer
        }
        if (answer !== 'refuse' && answer !== 'pause')
          throw pageProblem('foreign_account_form', 'invalid_request', 'decision must be once, refuse or pause.')
        const isDecided = await change((writer) => moveProposal(writer, { id, from: ['submitted'], to: 'refused' }))
        if (isDecided) await decided('approval.refused', 'refuse')
        if (answer === 'pause') await pauseApp(request, client_id, true)
        return isDecided || answer === 'pause' ? answer : 'late'
      },
    },
  },
}

/** Reads what requests name, except what they change themselves, which their effects name. */
async function namesIn(
  request: OwnRequest,
  stored: readonly (SealedRequest | undefined)[],
  reader: ChangesReader,
): Promise<ShownProposal['names']> {
  const labels = new Map(
    stored
      .flatMap((one) => visibleChanges(one?.effect.changes ?? [], reader))
      .flatMap(({ id, label }) => (id !== null && label !== null ? [[id, { name: label }] as const] : [])),
  )
  const ids = [...new Set(stored.flatMap((one) => idsIn(one && [one.content.parameters, one.content.body])))].filter(
    (id) => !labels.has(id),
  )
  const content = { target: '', parameters: {}, body: ids, ifMatch: '' }
  const described = { isChange: false, isNew: false, choices: new Set<string>(), row: undefined, lists: [] }
  const { objects } = await readRequestRows(request, { seesPeople: await seesPeople(request), content, described })
  return new Map([...objects, ...labels])
}

const proposalTitle = (texts: Texts, { name }: Proposal, count: number): string =>
  texts.counted('approval.proposal', count, { name: name ?? '' })

function itemOf(texts: Texts, { proposal, count, first, request }: ListedProposal, app: string): AccountItem {
  const id = toPublicId('apr', proposal.id)
  const text = proposal.name === null ? questionOf(texts, { proposal, first, request }) : proposalTitle(texts, proposal, count)
  return {
    id,
    title: texts.parts('school.verbatim', { text }),
    lines: [
      texts.parts('approval.asked', { app, date: texts.moment(proposal.created_at) }),
      texts.parts(stateOf(proposal), {}),
      ...(isOpen(proposal) ? [texts.parts('approval.until', { date: texts.moment(proposal.expires_at) })] : []),
    ],
    links: [{ href: accountApprovalPath(id), label: texts.text('approval.open') }],
  }
}
