import { Readable } from 'node:stream'
import type { Context, Middleware } from 'koa'
import { accountPaths } from '../../base/accountPaths.ts'
import { attach } from '../../base/http/attach.ts'
import type { Problem } from '../../base/problem.ts'
import { cancelDeletion } from '../../school/account/accountDeletion.ts'
import { auditEntry } from '../auditEntry.ts'
import { submittedForm } from '../formBody.ts'
import { plainText } from '../plainText.ts'
import { seeOther } from '../seeOther.ts'
import type { TextKey } from '../texts.ts'
import type { AccountArguments } from './accountArguments.ts'
import type { AccountSection } from './accountPage.ts'
import type { AccountPresenter } from './accountPresenter.ts'
import { exportDocuments } from './exportDocuments.ts'
import { type OwnSubscription, ownSubscriptions } from './learning/ownLists.ts'
import { isRunning } from './membershipPage.ts'
import { requestOf } from './operationPages.ts'
import { explained, type OwnError, type OwnPageContext, type OwnPages } from './ownPage.ts'
import { type SignedInPerson, signedInOrAway } from './signedInPerson.ts'

export interface DataPages {
  show: Middleware
  download: Middleware
  remove: Middleware
  /** Cancels the scheduled deletion. */
  keep: Middleware
}

const notices = {
  deletion: 'data.done_deletion',
  kept: 'apps.done_kept',
} as const satisfies Record<string, TextKey>

export function dataPages(args: AccountArguments, present: AccountPresenter, pages: OwnPages): DataPages {
  const path = accountPaths.data

  const showPage = async (ctx: Context, person: SignedInPerson, errors: readonly OwnError[] = []): Promise<void> => {
    // A notice about an earlier action would contradict the page if the deletion was requested or cancelled since.
    const isScheduled = person.who.deletion_scheduled_at !== null
    const current = Object.fromEntries(Object.entries(notices).filter(([done]) => (done === 'deletion') === isScheduled))
    const running = isScheduled ? [] : await runningOf(ctx, person)
    await pages.show(ctx, person, { path, notices: current, errors }, (context) => ({
      title: 'data.title',
      heading: context.texts.text('data.heading'),
      sections: [downloadSection(context), ...(isScheduled ? [] : [deleteSection(context, running)])],
    }))
  }

  const runningOf = async (ctx: Context, person: SignedInPerson): Promise<OwnSubscription[]> =>
    (await ownSubscriptions(requestOf(args, ctx, person, path))).filter(isRunning)

  return {
    async show(ctx) {
      const person = await signedInOrAway(ctx, args, path)
      if (person) await showPage(ctx, person)
    },

    async download(ctx) {
      const person = await pages.confirmedOwner(ctx, path)
      if (!person) return
      const page = await present.pageContext(ctx, path)
      const pieces = await args.exportArchive(ctx, person.accountId, exportDocuments(requestOf(args, ctx, person, path), page))
      await args.audit(auditEntry(ctx, 'account.exported', { account_id: person.accountId }))
      ctx.status = 200
      ctx.set('Cache-Control', 'no-store')
      ctx.set('X-Content-Type-Options', 'nosniff')
      const name =
        page.schoolName
          .replace(/[^\p{L}\p{N}]+/gu, '-')
          .replace(/^-|-$/g, '')
          .toLowerCase() || ctx.state.school.slug
      attach(ctx, `${name}-${new Date().toISOString().slice(0, 10)}.zip`)
      ctx.type = 'application/zip'
      ctx.body = Readable.from(pieces)
    },

    async remove(ctx) {
      const form = submittedForm(ctx)
      const person = await pages.confirmedOwner(ctx, path)
      if (!person) return
      const { texts } = await present.pageContext(ctx)
      if (person.who.deletion_scheduled_at !== null) return seeOther(ctx, path)
      if (form.get('confirmed') === null) {
        ctx.status = 400
        return showPage(ctx, person, [{ field: 'confirmed', text: texts.text('data.delete_unticked') }])
      }
      try {
        for (const { id } of form.get('memberships') === null ? [] : await runningOf(ctx, person))
          await args.perform(ctx, person.accountId, 'cancelSubscription', { parameters: { id }, language: texts.language })
        await args.perform(ctx, person.accountId, 'deleteAccount', { language: texts.language })
      } catch (error) {
        const problem = explained(error)
        ctx.status = problem.status
        return showPage(ctx, person, [{ text: texts.text(reasonOf(problem)) }])
      }
      await args.notify(ctx, person.accountId, 'deletion_requested', {})
      seeOther(ctx, `${path}?done=deletion`)
    },

    async keep(ctx) {
      const { school } = ctx.state
      const person = await pages.owner(ctx, path)
      if (!person) return
      const { accountId } = person
      const isKept = await args.databaseOf(school.id).transaction((writer) => cancelDeletion(writer, accountId))
      if (isKept) {
        await args.audit(auditEntry(ctx, 'account.kept', { account_id: accountId }))
        await args.notify(ctx, accountId, 'deletion_canceled', {})
      }
      seeOther(ctx, `${path}?done=kept`)
    },
  }
}

function reasonOf({ code }: Problem): TextKey {
  if (code === 'active_subscription') return 'data.delete_subscription'
  return code === 'last_owner' ? 'data.delete_last_owner' : 'account.error_other'
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
