import { Readable } from 'node:stream'
import { accountPaths } from '../../base/accountPaths.ts'
import { attach } from '../../base/http/attach.ts'
import { cancelDeletion } from '../../school/account/accountDeletion.ts'
import { plainText } from '../plainText.ts'
import type { AccountSection } from './accountPage.ts'
import { exportDocuments } from './exportDocuments.ts'
import { type OwnSubscription, ownSubscriptions } from './learning/ownLists.ts'
import { isRunning } from './membershipPage.ts'
import { type OwnPage, type OwnPageContext, type OwnRequest, Refused } from './ownPage.ts'

const runningOf = async (request: OwnRequest): Promise<OwnSubscription[]> => (await ownSubscriptions(request)).filter(isRunning)

const isScheduled = ({ person }: Pick<OwnRequest, 'person'>): boolean => person.who.deletion_scheduled_at !== null

/** The page on which a person downloads their data and deletes their account. */
export const dataPage: OwnPage<readonly OwnSubscription[]> = {
  path: accountPaths.data,
  // A notice about an earlier action would contradict the page if the deletion was requested or cancelled since.
  notices: (request) => (isScheduled(request) ? { deletion: 'data.done_deletion' } : { kept: 'apps.done_kept' }),
  read: async (request) => (isScheduled(request) ? [] : await runningOf(request)),
  build: (context, running) => ({
    title: 'data.title',
    heading: context.texts.text('data.heading'),
    sections: [downloadSection(context), ...(isScheduled(context) ? [] : [deleteSection(context, running)])],
  }),
  forms: {
    download: { isConfirmed: true, run: download },
    delete: {
      isConfirmed: true,
      problems: {
        active_subscription: 'data.delete_subscription',
        last_owner: 'data.delete_last_owner',
        other: 'account.error_other',
      },
      async run(request) {
        const { ctx, services, accountId, sent, perform } = request
        if (isScheduled(request)) return accountPaths.data
        const { texts } = await request.pageContext()
        if (sent.get('confirmed') === null) throw new Refused(400, { field: 'confirmed', text: texts.text('data.delete_unticked') })
        const { language } = texts
        for (const { id } of sent.get('memberships') === null ? [] : await runningOf(request))
          await perform('cancelSubscription', { id }, { language })
        await perform('deleteAccount', undefined, { language })
        await services.notify(ctx, accountId, 'deletion_requested', {})
        return 'deletion'
      },
    },
    [accountPaths.keep]: {
      async run({ ctx, services, accountId, change, audit }) {
        if (await change((writer) => cancelDeletion(writer, accountId))) {
          await audit('account.kept')
          await services.notify(ctx, accountId, 'deletion_canceled', {})
        }
        return 'kept'
      },
    },
  },
}

async function download(request: OwnRequest): Promise<undefined> {
  const { ctx, services, school, accountId } = request
  const page = await request.pageContext()
  const pieces = await services.exportArchive(ctx, accountId, exportDocuments(request, page))
  await request.audit('account.exported')
  ctx.status = 200
  ctx.set('Cache-Control', 'no-store')
  ctx.set('X-Content-Type-Options', 'nosniff')
  const name =
    page.schoolName
      .replace(/[^\p{L}\p{N}]+/gu, '-')
      .replace(/^-|-$/g, '')
      .toLowerCase() || school.slug
  attach(ctx, `${name}-${new Date().toISOString().slice(0, 10)}.zip`)
  ctx.type = 'application/zip'
  ctx.body = Readable.from(pieces)
}

const downloadSection = ({ texts, schoolName }: OwnPageContext): AccountSection => ({
  id: 'download',
  heading: texts.text('data.download'),
  paragraphs: [texts.parts('data.download_explanation', { school: schoolName }), texts.parts('data.download_format', {})],
  forms: [{ action: accountPaths.download, submit: texts.text('data.download_submit'), kind: 'main' }],
})

/** Shows the form that deletes the account. It cancels the subscriptions that continue as well. */
const deleteSection = ({ texts, schoolName, errorOf }: OwnPageContext, running: readonly OwnSubscription[]): AccountSection => ({
  id: 'delete',
  heading: texts.text('data.delete'),
  isDanger: true,
  paragraphs: [
    texts.parts('data.delete_explanation', {}),
    texts.parts('data.delete_effects', { school: schoolName }),
    ...running.map(({ plan }) =>
      texts.parts('data.delete_membership', { plan: plainText(plan?.name ?? texts.text('membership.plan_gone'), 80) }),
    ),
  ],
  forms: [
    {
      action: accountPaths.deleteAccount,
      hidden: running.length > 0 ? [{ name: 'memberships', value: 'cancel' }] : [],
      boxes: [
        {
          ...{ id: 'confirmed', name: 'confirmed', label: texts.text('data.delete_box') },
          ...{ isRequired: true, error: errorOf('confirmed') },
        },
      ],
      submit: texts.text(running.length > 0 ? 'data.delete_with_membership' : 'data.delete_submit'),
      kind: 'danger',
    },
  ],
})
