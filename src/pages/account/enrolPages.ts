import { accountCoursePath, accountPaths } from '../../base/accountPaths.ts'
import { withQuery } from '../../base/text/withQuery.ts'
import { sitePath } from '../../engine/sitePaths.ts'
import { pageProblem } from '../pageProblem.ts'
import { explained, type OwnPage } from './ownPage.ts'

/** Enrols the person who is signed in in a course, and leads to it. */
export const enrolPage: OwnPage<never> = {
  path: accountPaths.enrol,
  leadsTo: sitePath('courses'),
  forms: {
    '': {
      backTo: (sent) => sitePath('courses', /^crs_[0-9a-z]+$/.exec(sent.get('course') ?? '')?.[0]),
      async run({ ctx, services, sent, perform, pageContext }) {
        const id = sent.get('course') ?? ''
        try {
          const { body: course } = await perform('getCourse', { id_or_slug: id, fields: 'slug' })
          await perform('createEnrollment', undefined, { body: { course_id: id } })
          return withQuery(accountCoursePath(course.slug), { done: 'enrolled' })
        } catch (error) {
          const { status, code } = explained(error)
          if (status === 404) throw pageProblem('nothing_here', 'not_found', 'There is no such course.')
          ctx.status = status
          const { texts } = await pageContext()
          await services.present.message(ctx, {
            title: texts.text('enrol.failed'),
            heading: texts.text('enrol.failed'),
            paragraphs: [texts.parts(code === 'checkout_required' ? 'enrol.payment' : 'enrol.closed', {})],
            links: [{ href: sitePath('courses', id), label: texts.text('enrol.back') }],
          })
          return undefined
        }
      },
    },
  },
}
