import { Router } from '@koa/router'
import type { Context } from 'koa'
import { findCertificate, groupedNumber, readCertificateNumber } from '../school/learning/issuedCertificates.ts'
import { type Frame, frame } from './frame.ts'
import { pageErrors } from './pageErrors.ts'
import { setPageHeaders } from './pageHeaders.ts'
import { pageProblem } from './pageProblem.ts'
import type { PageServices } from './pagesArguments.ts'
import { createViews } from './templates.ts'
import type { Texts } from './texts.ts'

export interface CertificatePage extends Frame {
  heading: string
  status: string
  isValid: boolean
  template: string
  /** The dates and the number are written from left to right in every language; names and titles as they begin. */
  facts: { label: string; value: string; direction: 'auto' | 'ltr' }[]
}

type Certificate = NonNullable<Awaited<ReturnType<typeof findCertificate>>>

/** The pages on which anybody verifies a certificate by its number. They do not depend on the public pages of the school. */
export function createCertificatePages(
  { databaseOf, log, pageContext }: PageServices,
  /** `countGuess` throws Problem rate_limited if the network tried too many numbers. */
  { countGuess }: { countGuess(ctx: Context): Promise<void> },
): Router {
  const views = createViews()
  const router = new Router()
  router.get('/certificates/:number', pageErrors({ views, log, pageContext }), async (ctx) => {
    await countGuess(ctx)
    const number = readCertificateNumber(String(ctx.params.number))
    const certificate = number && (await findCertificate(databaseOf(ctx.state.school.id).kysely, number))
    if (!certificate) throw pageProblem('nothing_here', 'not_found', 'The school has not issued a certificate with this number.')
    const page = await pageContext(ctx)
    const { texts } = page
    setPageHeaders(ctx)
    ctx.type = 'html'
    ctx.body = views.render('certificate', {
      ...frame(views, page, texts.text('certificate.title')),
      heading: texts.text('certificate.title'),
      status: statusOf(texts, certificate),
      isValid: certificate.valid,
      template: certificate.template,
      facts: factsOf(texts, certificate),
    })
  })
  return router
}

function statusOf(texts: Texts, { valid, corrected_at }: Certificate): string {
  if (!valid) return texts.text('certificate.revoked')
  if (corrected_at === null) return texts.text('certificate.valid')
  return `${texts.text('certificate.valid')} ${texts.text('certificate.corrected', { date: texts.date(corrected_at) })}`
}

const factsOf = (texts: Texts, { holder_name, course_title, issued_at, number }: Certificate): CertificatePage['facts'] => [
  { label: texts.text('certificate.holder'), value: holder_name ?? texts.text('certificate.erased'), direction: 'auto' },
  { label: texts.text('certificate.course'), value: course_title, direction: 'auto' },
  ...(issued_at === null ? [] : [{ label: texts.text('certificate.issued'), value: texts.date(issued_at), direction: 'ltr' as const }]),
  { label: texts.text('certificate.number'), value: groupedNumber(number), direction: 'ltr' },
]
