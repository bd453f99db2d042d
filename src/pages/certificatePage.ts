import { Router } from '@koa/router'
import type { Context } from 'koa'
import { durationText } from '../base/text/readerFormats.ts'
import { certificatePath } from '../school/learning/enrollments.ts'
import { findCertificate, groupedNumber, readCertificateNumber } from '../school/learning/issuedCertificates.ts'
import { type Frame, frame } from './frame.ts'
import { pageErrors } from './pageErrors.ts'
import { setPageHeaders } from './pageHeaders.ts'
import { pageProblem } from './pageProblem.ts'
import type { PageServices } from './pagesArguments.ts'
import { type QrCode, qrCode } from './qrCode.ts'
import { createViews } from './templates.ts'
import type { Texts } from './texts.ts'

export interface CertificatePage extends Frame {
  heading: string
  status: string
  isValid: boolean
  /** The design: `classic`, `modern` or `minimal`. */
  template: string
  certifies: string
  holder: string
  isErased: boolean
  completed: string
  course: string
  /** The lecturers, the length and the date. */
  lines: string[]
  verify: string
  /** The URL of this page, with a number that people can read. */
  url: string
  qr: QrCode & { label: string }
  print: string
  copy: string
  copied: string
  script: string
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
    setPageHeaders(ctx, { scripts: [views.script] })
    ctx.type = 'html'
    ctx.body = views.render('certificate', {
      ...frame(views, page, texts.text('certificate.title')),
      ...sheetOf(texts, certificate),
      ...proofOf(texts, `${ctx.state.school.issuer}${certificatePath(groupedNumber(certificate.number))}`),
      script: views.script.href,
    })
  })
  return router
}

function statusOf(texts: Texts, { valid, corrected_at }: Certificate): string {
  if (!valid) return texts.text('certificate.revoked')
  if (corrected_at === null) return texts.text('certificate.valid')
  return `${texts.text('certificate.valid')} ${texts.text('certificate.corrected', { date: texts.date(corrected_at) })}`
}

function sheetOf(texts: Texts, certificate: Certificate) {
  const { holder_name, course_title, issued_at, lecturers, duration_minutes, template } = certificate
  const names = new Intl.ListFormat(texts.language).format(lecturers.map(({ display_name }) => display_name))
  return {
    heading: texts.text('certificate.title'),
    status: statusOf(texts, certificate),
    isValid: certificate.valid,
    template,
    certifies: texts.text('certificate.certifies'),
    holder: holder_name ?? texts.text('certificate.erased'),
    isErased: holder_name === null,
    completed: texts.text('certificate.completed'),
    course: course_title,
    lines: [
      ...(duration_minutes > 0 ? [texts.text('certificate.duration', { duration: durationText(duration_minutes, texts.language) })] : []),
      ...(names === '' ? [] : [texts.text('certificate.taught_by', { names })]),
      ...(issued_at === null ? [] : [texts.text('certificate.issued', { date: texts.date(issued_at) })]),
    ],
  }
}

const proofOf = (texts: Texts, url: string) => ({
  verify: texts.text('certificate.verify'),
  url,
  qr: { ...qrCode(url), label: texts.text('certificate.qr') },
  print: texts.text('certificate.print'),
  copy: texts.text('certificate.copy'),
  copied: texts.text('certificate.copied'),
})
