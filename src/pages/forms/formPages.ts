import { Router } from '@koa/router'
import type { Context } from 'koa'
import { findOpenForm, type OpenForm } from '../../domain/forms/openForm.ts'
import { submitForm } from '../../domain/forms/submitForm.ts'
import type { Keyring } from '../../lib/keyring.ts'
import type { Log } from '../../lib/log.ts'
import { Problem } from '../../lib/problem.ts'
import type { Database } from '../../store/database.ts'
import { createCsrf } from '../csrf.ts'
import { formBody, submittedForm } from '../formBody.ts'
import { sameOriginOnly } from '../ownForm.ts'
import type { FindPageContext } from '../pageContext.ts'
import { pageErrors } from '../pageErrors.ts'
import { setPageHeaders } from '../pageHeaders.ts'
import { pageProblem } from '../pageProblem.ts'
import type { Verdict } from '../pagesArguments.ts'
import { seeOther } from '../seeOther.ts'
import { createViews, frame } from '../templates.ts'
import { exceeded, showTooMany } from '../tooMany.ts'
import { createFormStamps } from './formStamp.ts'
import { readAnswers } from './readAnswers.ts'
import { type Rejected, schoolFormPage } from './schoolFormPage.ts'

/** Rate limits of submissions. */
export interface FormLimits {
  /** Counts a request to submit any form, by the network of the caller. */
  request(schoolId: string, address: string): Promise<Verdict>
  /** Counts a submission that would be stored, by form. */
  submission(schoolId: string, formId: string): Promise<Verdict>
}

export interface FormPagesArguments {
  database: Database
  keyring: Keyring
  log: Log
  pageContext: FindPageContext
  limits: FormLimits
}

/** People need longer to fill in a form. A faster submission is stored as spam. */
const leastSeconds = 3

/** The input that people do not see. A submission with a value is stored as spam. */
const trapName = 'homepage'

/** The pages of the school's open forms. They work without JavaScript, and for visitors without an account. */
export function createFormPages({ database, keyring, log, pageContext, limits }: FormPagesArguments): Router {
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
    const page = schoolFormPage(views, await pageContext(ctx, `/forms/${form.slug}`), parts)
    setPageHeaders(ctx)
    ctx.type = 'html'
    ctx.body = views.render('school-form', page)
  }

  async function submit(ctx: Context): Promise<void> {
    const { school, address } = ctx.state
    const form = await requireForm(ctx, database)
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
      await database.transaction((writer) =>
        submitForm(writer, {
          schoolId: school.id,
          now: new Date(),
          formId: form.id,
          answers,
          sourcePath: `/forms/${form.slug}`,
          locale: texts.language,
          spam: (sent.get(trapName) ?? '') !== '' || seconds < leastSeconds,
          ...(form.consent_text !== null && { consentText: form.consent_text }),
        }),
      )
    })
    if (wrong === undefined && !hasToAgree) return seeOther(ctx, `/forms/${form.slug}/sent`)
    ctx.status = 422
    await show(ctx, form, { answers, hasAgreed, errors: wrong ?? {} }, stamp)
  }

  async function sent(ctx: Context): Promise<void> {
    const form = await requireForm(ctx, database)
    const page = await pageContext(ctx)
    const { texts } = page
    setPageHeaders(ctx)
    ctx.type = 'html'
    ctx.body = views.render('school-form-sent', {
      ...frame(views, page, texts.text('school_form.sent_title', { form: form.title })),
      heading: texts.text('school_form.sent'),
      message: form.success_message ?? texts.text('school_form.sent_message', { school: page.schoolName }),
    })
  }

  const router = new Router()
  router.get('/forms/:slug', errors, async (ctx) => show(ctx, await requireForm(ctx, database)))
  router.post('/forms/:slug', errors, sameOriginOnly('foreign_school_form'), formBody(), submit)
  router.get('/forms/:slug/sent', errors, sent)
  return router
}

/** @throws Problem not_found for a form that does not accept submissions */
async function requireForm(ctx: Context, database: Database): Promise<OpenForm> {
  const { slug = '' } = ctx.params
  const form = /^[a-z0-9-]{1,96}$/.test(slug) ? await findOpenForm(database.kysely, ctx.state.school.id, slug) : undefined
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
