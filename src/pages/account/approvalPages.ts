import { accountApprovalPath, accountPaths } from '../../base/accountPaths.ts'
import { fromPublicId, toPublicId } from '../../base/ids.ts'
import type { RequestContent } from '../../database/tables/approvalSummary.ts'
import type { Approval } from '../../database/tables/approvals.ts'
import { connectedApps } from '../../identity/accounts/connectedApps.ts'
import {
  type Decision,
  decideApproval,
  findOwnApproval,
  listApprovals,
  type OwnApproval,
  usesOfApproval,
} from '../../identity/accounts/ownApprovals.ts'
import { appNames } from '../appNames.ts'
import { pageProblem } from '../pageProblem.ts'
import { type Texts, textOf } from '../texts.ts'
import type { AccountItem, AccountSection } from './accountPage.ts'
import { seesPeople } from './appActivityPages.ts'
import { approvalSections, questionOf, type ShownRequest, stateOf } from './approvalSections.ts'
import { pauseApp } from './appsPages.ts'
import type { OwnPage, OwnRequest } from './ownPage.ts'
import { readRequestRows } from './requestRows.ts'

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

/** Returns the approval of the address. The same error for those of other accounts, ended ones and unknown ids. */
async function requested({ reader, accountId, params }: OwnRequest): Promise<OwnApproval> {
  const id = fromPublicId('apr', String(params.id))
  const found = id === undefined ? undefined : await findOwnApproval(reader, { accountId, id })
  if (!found) throw pageProblem('nothing_here', 'not_found', 'There is no such page.')
  return found
}

/** Returns the request with what it names; undefined if it is no longer stored, or its key is gone. */
async function shownRequest(request: OwnRequest, { content: sealed, operation }: Approval): Promise<ShownRequest | undefined> {
  const { services } = request
  const text = sealed === null ? undefined : services.approvals.open(sealed)
  const described = services.describeRequest(operation)
  if (text === undefined || !described) return undefined
  const content: RequestContent = JSON.parse(text)
  return { content, described, rows: await readRequestRows(request, { seesPeople: await seesPeople(request), content, described }) }
}

const isWaiting = ({ status, is_expired }: Approval) => status === 'pending' && !is_expired

interface Listed {
  found: readonly OwnApproval[]
  nameOf: Awaited<ReturnType<typeof appsOf>>
  requests: ReadonlyMap<string, ShownRequest | undefined>
}

/** The requests of apps about which a person decides. */
export const approvalsPage: OwnPage<Listed> = {
  path: accountPaths.approvals,
  section: accountPaths.apps,
  async read(request) {
    const found = await listApprovals(request.reader, { accountId: request.accountId, limit: shown })
    const nameOf = await appsOf(request)
    const requests = new Map<string, ShownRequest | undefined>()
    for (const one of found.filter((approval, at) => isWaiting(approval) || at < named))
      requests.set(one.id, await shownRequest(request, one))
    return { found, nameOf, requests }
  },
  build({ texts }, { found, nameOf, requests }) {
    const items = (isPending: boolean): AccountItem[] =>
      found
        .filter((one) => isWaiting(one) === isPending)
        .map((one) => itemOf(texts, one, { app: nameOf(texts, one.grant_id), isPending, request: requests.get(one.id) }))
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

interface Shown {
  approval: OwnApproval
  nameOf: Listed['nameOf']
  request: ShownRequest | undefined
  uses: Awaited<ReturnType<typeof usesOfApproval>>
}

/** The page on which a person decides about a request of an app. Nothing else approves one. */
export const approvalPage: OwnPage<Shown> = {
  path: `${accountPaths.approvals}/:id`,
  section: accountPaths.apps,
  notices: {
    once: 'approval.done_once',
    kind: 'approval.done_kind',
    refuse: 'approval.done_refused',
    pause: 'approval.done_paused',
    late: 'approval.done_late',
  },
  async read(request) {
    const approval = await requested(request)
    const nameOf = await appsOf(request)
    const shown = await shownRequest(request, approval)
    return { approval, nameOf, request: shown, uses: approval.kind_ends_at ? await usesOfApproval(request.reader, approval) : [] }
  },
  build({ texts, request: { path } }, { approval, nameOf, request, uses }) {
    const heading = questionOf(texts, approval, request)
    return {
      title: { text: heading },
      back: { href: accountPaths.approvals, label: texts.text('approval.back') },
      sections: approvalSections(texts, { approval, request, uses, path, app: nameOf(texts, approval.grant_id) }),
    }
  },
  forms: {
    '': {
      isConfirmed: true,
      async run(request) {
        const { accountId, change, audit } = request
        const { grant_id, client_id, id, operation } = await requested(request)
        const answer = request.sent.get('decision') ?? ''
        if (answer !== 'once' && answer !== 'kind' && answer !== 'refuse' && answer !== 'pause')
          throw pageProblem('foreign_account_form', 'invalid_request', 'decision must be once, kind, refuse or pause.')
        const decision: Decision = answer === 'pause' ? 'refuse' : answer
        const isDecided = await change((writer) => decideApproval(writer, { accountId, id, decision }))
        if (isDecided) {
          const details = { approval: toPublicId('apr', id), operation, decision }
          await audit(decision === 'refuse' ? 'approval.refused' : 'approval.approved', { client_id, grant_id, details })
        }
        if (answer === 'pause') await pauseApp(request, client_id, true)
        return isDecided || answer === 'pause' ? answer : 'late'
      },
    },
  },
}

function itemOf(
  texts: Texts,
  approval: OwnApproval,
  { app, isPending, request }: { app: string; isPending: boolean; request: ShownRequest | undefined },
): AccountItem {
  const id = toPublicId('apr', approval.id)
  return {
    id,
    title: texts.parts('school.verbatim', { text: questionOf(texts, approval, request) }),
    lines: [
      texts.parts('approval.asked', { app, date: texts.moment(approval.created_at) }),
      texts.parts(stateOf(approval), {}),
      ...(isPending ? [texts.parts('approval.until', { date: texts.moment(approval.expires_at) })] : []),
    ],
    links: [{ href: accountApprovalPath(id), label: texts.text('approval.open') }],
  }
}
