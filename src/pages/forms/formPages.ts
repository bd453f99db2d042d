import { Router } from '@koa/router'
import type { Context } from 'koa'
import { Problem } from '../../base/problem.ts'
import { isSlug, normalizedSlug } from '../../base/text/slugText.ts'
import type { DatabaseOf } from '../../database/connection/database.ts'
import type { SendMessage } from '../../database/outbox/sendMessage.ts'
import { formPath } from '../../engine/sitePaths.ts'
import { answerFacts } from '../../school/forms/answerFacts.ts'
import { findOpenForm, type OpenForm } from '../../school/forms/openForm.ts'
import { submitForm } from '../../school/forms/submitForm.ts'
import { createCsrf } from '../csrf.ts'
import { formBody, submittedForm } from '../formBody.ts'
import { frame } from '../frame.ts'
import { sameOriginOnly } from '../ownForm.ts'
import { pageErrors } from '../pageErrors.ts'
import { setPageHeaders } from '../pageHeaders.ts'
import { pageProblem } from '../pageProblem.ts'
import type { PageServices, Verdict } from '../pagesArguments.ts'
import { seeOther } from '../seeOther.ts'
import type { FrameOf } from '../site/serveSite.ts'
import { createViews } from '../templates.ts'
import { exceeded, showTooMany } from '../tooMany.ts'
import { createFormStamps } from './formStamp.ts'
import { readAnswers } from './readAnswers.ts'
import { type Rejected, schoolFormPage } from './schoolFormPage.ts'

export interface FormLimits {
  /** Counts a request to submit any form, by the network of the caller. */
  request(schoolId: string, address: string): Promise<Verdict>
  /** Counts a submission that would be stored, by form. */
  submission(schoolId: string, formId: string): Promise<Verdict>
  /** Counts an e-mail that confirms a submission. Returns false if the network or the recipient has caused too many. */
  isConfirmationAllowed(schoolId: string, sender: { address: string; email: string }): Promise<boolean>
}

/** People need longer to fill in a form. A faster submission is stored as spam. */
const leastSeconds = 3

/** The input that people do not see. A submission with a value is stored as spam. */
const trapName = 'homepage'

/** The pages of the school's open forms. They work without JavaScript, and for visitors without an account. */
export function createFormPages(
  { databaseOf, keyring, log, pageContext }: PageServices,
  { limits, send, frameOf }: { limits: FormLimits; send: SendMessage; frameOf: FrameOf },
): Router {
  const views = createViews()
  const csrf = createCsrf(keyring)
  const stamps = createFormStamps(keyring)
  const errors = pageErrors({ views, log, pageContext })

  async function show(ctx: Context, form: OpenForm, rejected?: Rejected, stamp?: string): Promise<void> {
    const { school } = ctx.state
    const parts = {
      form,
      rejected,
      csrf: csrf.issue(ctx, `form ${form.id}`),
      stamp: stamp ?? stamps.issue({ school, form }),
    }
    const path = formPath(form.slug)
    const page = schoolFormPage(views, await pageContext(ctx, path), parts)
    setPageHeaders(ctx)
    ctx.type = 'html'
    ctx.body = views.render('school-form', { ...page, ...(await inSite(ctx, page, path)) })
  }

  /** Returns the frame of the site, with the contents of the page. */
  async function inSite<Page extends { heading: string }>(ctx: Context, page: Page, path: string) {
    const site = await frameOf(ctx, { title: page.heading, path })
    return site && { ...site, ...page, stylesheets: site.stylesheets, legalLinks: site.legalLinks, isInSite: true }
  }

  async function submit(ctx: Context): Promise<void> {
    const { school, address } = ctx.state
    const form = await requireForm(ctx, databaseOf)
    const sent = submittedForm(ctx)
    const answers = readAnswers(form.fields, sent)
    const hasAgreed = sent.get('consent') === 'yes'
    const texts = (await pageContext(ctx)).texts
    const again = (error: string, stamp?: string): Promise<void> => show(ctx, form, { answers, hasAgreed, errors: {}, error }, stamp)
    const stamp = sent.get('stamp') ?? ''
    const seconds = stamps.secondsSince({ school, form }, stamp)
    const tooMany = async (verdict: Verdict): Promise<void> => {
      const minutes = showTooMany(ctx, verdict.retryAfterSeconds)
      await again(texts.text('school_form.too_many', { minutes }), seconds === undefined ? undefined : stamp)
    }
    const overNetwork = await exceeded(limits.request(school.id, address))
    if (overNetwork) return tooMany(overNetwork)
    if (seconds === undefined || !csrf.isValid(ctx, `form ${form.id}`, sent.get('csrf') ?? undefined)) {
      ctx.status = 403
      return again(texts.text('school_form.old'))
    }
    const hasToAgree = form.consent_text !== null && !hasAgreed
    const overForm = hasToAgree ? undefined : await exceeded(limits.submission(school.id, form.id))
    if (overForm) return tooMany(overForm)
    const wrong = await submitted(async () => {
      if (hasToAgree) return
      const spam = (sent.get(trapName) ?? '') !== '' || seconds < leastSeconds
      await databaseOf(school.id).transaction(async (writer) => {
        const { email } = await submitForm(writer, {
          schoolId: school.id,
          now: new Date(),
          formId: form.id,
          answers,
          sourcePath: formPath(form.slug),
          locale: texts.language,
          spam,
          ...(form.consent_text !== null && { consentText: form.consent_text }),
        })
        if (email === undefined || spam || !(await limits.isConfirmationAllowed(school.id, { address, email }))) return
        const to = { email, locales: [texts.language] }
        if (form.copies_answers)
          await send(writer, school, to, 'form_received_copy', { form: form.title, copy: answerFacts(form, answers) })
        else await send(writer, school, to, 'form_received', { form: form.title })
      })
    })
    if (wrong === undefined && !hasToAgree) return seeOther(ctx, `${formPath(form.slug)}/sent`)
    ctx.status = 422
    await show(ctx, form, { answers, hasAgreed, errors: wrong ?? {} }, stamp)
  }

  async function sent(ctx: Context): Promise<void> {
    const form = await requireForm(ctx, databaseOf)
    const page = await pageContext(ctx)
    const { texts } = page
    setPageHeaders(ctx)
    ctx.type = 'html'
    const shown = {
      ...frame(views, page, texts.text('school_form.sent_title', { form: form.title })),
      heading: texts.text('school_form.sent'),
      back: { href: '/', label: texts.text('school_form.back', { school: page.schoolName }) },
      message: form.success_message ?? texts.text('school_form.sent_message', { school: page.schoolName }),
    }
    ctx.body = views.render('school-form-sent', { ...shown, ...(await inSite(ctx, shown, `${formPath(form.slug)}/sent`)) })
  }

  const router = new Router()
  router.get('/forms/:slug', errors, async (ctx) => show(ctx, await requireForm(ctx, databaseOf)))
  router.post('/forms/:slug', errors, sameOriginOnly('foreign_school_form'), formBody(), submit)
  router.get('/forms/:slug/sent', errors, sent)
  return router
}

/** @throws Problem not_found for a form that does not accept submissions */
async function requireForm(ctx: Context, databaseOf: DatabaseOf): Promise<OpenForm> {
  const { slug = '' } = ctx.params
  const key = normalizedSlug(slug)
  const form = isSlug(key) ? await findOpenForm(databaseOf(ctx.state.school.id).kysely, key) : undefined
  if (!form) throw pageProblem('nothing_here', 'not_found', 'There is no such form, or it does not accept submissions.')
  return form
}

/** Returns the questions with a wrong answer; undefined if the submission was stored. */
async function submitted(store: () => Promise<unknown>): Promise<Rejected['errors'] | undefined> {
  try {
    await store()
    return undefined
  } catch (error) {
    if (!(error instanceof Problem) || error.code !== 'validation_failed') throw error
    return Object.fromEntries(
      error.details.map(({ field = '', code }) => [field.slice('answers.'.length), code === 'required' ? 'missing' : 'wrong']),
    )
  }
}
