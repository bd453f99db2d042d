import type { Middleware } from 'koa'
import { accountCoursePath } from '../../base/accountPaths.ts'
import { withQuery } from '../../base/text/withQuery.ts'
import { sitePath } from '../../engine/sitePaths.ts'
import { submittedForm } from '../formBody.ts'
import { pageProblem } from '../pageProblem.ts'
import { seeOther } from '../seeOther.ts'
import type { TextKey } from '../texts.ts'
import type { AccountArguments } from './accountArguments.ts'
import type { AccountPresenter } from './accountPresenter.ts'
import { explained, type OwnPages } from './ownPage.ts'

/** Enrols the person who is signed in in a course, and leads to it. */
export function enrolPages(args: AccountArguments, present: AccountPresenter, pages: OwnPages): { save: Middleware } {
  return {
    async save(ctx) {
      const id = submittedForm(ctx).get('course') ?? ''
      const person = await pages.owner(ctx, /^crs_[0-9a-z]+$/.test(id) ? sitePath('courses', id) : sitePath('courses'))
      if (!person) return
      try {
        const { body: course } = await args.perform(ctx, person.accountId, 'getCourse', { parameters: { id_or_slug: id, fields: 'slug' } })
        await args.perform(ctx, person.accountId, 'createEnrollment', { body: { course_id: id } })
        seeOther(ctx, withQuery(accountCoursePath(course.slug), { done: 'enrolled' }))
      } catch (error) {
        const { status, code } = explained(error)
        if (status === 404) throw pageProblem('nothing_here', 'not_found', 'There is no such course.')
        ctx.status = status
        const { texts } = await present.pageContext(ctx)
        const reason: TextKey = code === 'checkout_required' ? 'enrol.payment' : 'enrol.closed'
        await present.message(ctx, {
          title: texts.text('enrol.failed'),
          heading: texts.text('enrol.failed'),
          paragraphs: [texts.parts(reason, {})],
          links: [{ href: sitePath('courses', id), label: texts.text('enrol.back') }],
        })
      }
    },
  }
}
