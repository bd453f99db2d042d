import { withQuery } from '../../base/text/withQuery.ts'
import { findSignedInAccount } from '../../identity/accounts/signedInAccount.ts'
import { findActiveAccount } from '../activeAccount.ts'
import { signInCompleted } from '../completedSignIn.ts'
import { submittedForm } from '../formBody.ts'
import type { FormPage } from '../formPage.ts'
import { frame } from '../frame.ts'
import { setPageHeaders } from '../pageHeaders.ts'
import type { PageServices } from '../pagesArguments.ts'
import { passkeyForm } from '../passkeyForm.ts'
import { seeOther } from '../seeOther.ts'
import type { SignInHost } from './signInHost.ts'
import type { SignInStep, StepContext, StepForm, StepPrompt, StepRepeat, StepViews } from './signInStep.ts'
import { newProgress, type StepProgress, withCompleted, withState } from './stepProgress.ts'

export interface StepRequest {
  prompt: StepPrompt
  chosen?: string | undefined
  /** True if the person wants to begin again, with another account. */
  startsOver?: boolean
}

export interface StepRunner {
  show(host: SignInHost, request: StepRequest): Promise<void>
  /** Takes a submitted form, then shows the same step again, leads to the next one, or finishes. */
  answer(host: SignInHost, prompt: StepPrompt): Promise<void>
  /** Continues a sign-in of which steps are completed already: leads to the next one, or finishes. */
  goOn(host: SignInHost, prompt: StepPrompt, progress: StepProgress): Promise<void>
}

interface Position {
  prompt: StepPrompt
  progress: StepProgress
  step: SignInStep
  needed: readonly SignInStep[]
}

export function createStepRunner(services: PageServices, { views, csrf }: StepViews): StepRunner {
  const { databaseOf } = services
  const steps = services.steps(services)
  if (new Set(steps.map(({ name }) => name)).size < steps.length) throw new Error('two sign-in steps have the same name')

  const contextOf = (host: SignInHost, { prompt, progress, step }: Omit<Position, 'needed'>): StepContext => ({
    ctx: host.ctx,
    school: host.ctx.state.school,
    open: host.open,
    account: accountOf(host, prompt, progress),
    state: progress.states[step.name],
    isSwitch: prompt === 'login' && host.isSwitch,
    path: host.path,
    returnTo: host.returnTo,
    pageContext: host.pageContext,
    csrfToken: () => csrf.issue(host.ctx, host.csrfSubject),
  })

  const neededSteps = async (host: SignInHost, prompt: StepPrompt, progress: StepProgress): Promise<SignInStep[]> => {
    const needed: SignInStep[] = []
    for (const step of steps) {
      if (step.prompt !== prompt || progress.completed.includes(step.name)) continue
      if (await step.isNeeded(contextOf(host, { prompt, progress, step }))) needed.push(step)
    }
    return needed
  }

  /** The stored progress. It starts again if its account can no longer sign in. */
  const loadProgress = async (host: SignInHost, prompt: StepPrompt): Promise<StepProgress> => {
    const progress = await host.loadProgress(prompt)
    if (!progress) return newProgress()
    const isActive =
      !progress.account ||
      (await findActiveAccount(host.ctx, (schoolId, id) => findSignedInAccount(databaseOf(schoolId), id), progress.account))
    return isActive ? progress : newProgress()
  }

  const present = async (host: SignInHost, position: Position, repeat: StepRepeat): Promise<void> => {
    const { prompt, progress, step } = position
    const page = await step.page(contextOf(host, position), repeat)
    if (!page) return startOver(host)
    if (page.state !== undefined) await host.saveProgress(prompt, withState(progress, step, page.state))
    const token = csrf.issue(host.ctx, host.csrfSubject)
    const html =
      'form' in page
        ? views.render('form', await formPage(host, position, { form: page.form, csrf: token, error: page.error ?? repeat.error }))
        : page.render(views, token)
    const scripts = [views.script, ...('form' in page && page.form.passkey ? [views.passkeyScript] : [])]
    setPageHeaders(host.ctx, { formTargets: [host.formTarget], scripts })
    host.ctx.type = 'html'
    host.ctx.body = html
  }

  const formPage = async (
    host: SignInHost,
    position: Position,
    { form, csrf: token, error }: { form: StepForm; csrf: string; error: StepRepeat['error'] },
  ): Promise<FormPage> => {
    const { prompt, step, needed } = position
    const context = contextOf(host, position)
    const pageContext = await host.pageContext()
    const { texts } = pageContext
    const { title, links = [], boxes = [], hidden = [], setup, passkey, ...content } = form
    const others = needed.filter((other) => other !== step)
    const choices = others.flatMap(({ name, choice }) =>
      choice ? [{ href: stepAddress(host, prompt, name), label: texts.text(choice) }] : [],
    )
    // Once an account is identified, this is the only way to another one.
    const another = context.account ? [{ href: stepAddress(host, prompt), label: texts.text('sign_in.other_account') }] : []
    return {
      ...frame(views, pageContext, title),
      ...content,
      boxes,
      setup,
      error: error ? texts.text(error.key, error.values) : '',
      action: host.actions[prompt],
      csrf: token,
      script: views.script.href,
      hidden: [...hiddenFields({ ...host.query, step: step.name }), ...hidden],
      links: [...choices, ...links, ...another],
      cancel: host.cancelPath === undefined ? undefined : { action: host.cancelPath, label: texts.text('sign_in.refuse') },
      back: context.isSwitch ? { href: host.path, label: texts.text('sign_in.back') } : undefined,
      passkey:
        passkey &&
        passkeyForm(texts, views.passkeyScript, {
          ...passkey,
          action: host.actions[prompt],
          hidden: hiddenFields({ ...host.query, step: passkey.step }),
        }),
    }
  }

  /** Shows the first step of a new sign-in after the account turned out to be unusable. */
  const startOver = async (host: SignInHost): Promise<void> => {
    const progress = newProgress()
    const needed = await neededSteps(host, 'login', progress)
    const [step] = needed
    if (!step) throw new Error('no step of the list identifies an account')
    return present({ ...host, isSwitch: false }, { prompt: 'login', progress, step, needed }, { error: { key: 'sign_in.account_gone' } })
  }

  const finish = async (host: SignInHost, prompt: StepPrompt, progress: StepProgress): Promise<void> => {
    if (progress.completed.length === 0) throw new Error(`no step of the list serves the prompt ${prompt}`)
    await host.finish(prompt, progress)
    if (prompt === 'login' && progress.account) await signInCompleted(host.ctx, services, progress.account)
  }

  const goOn: StepRunner['goOn'] = async (host, prompt, progress) => {
    const [next] = await neededSteps(host, prompt, progress)
    if (!next) return finish(host, prompt, progress)
    await host.saveProgress(prompt, progress)
    seeOther(host.ctx, stepAddress(host, prompt, next.name))
  }

  return {
    goOn,

    async show(host, { prompt, chosen, startsOver = false }) {
      const stored = await loadProgress(host, prompt)
      const needed = await neededSteps(host, prompt, stored)
      const isPending = needed.some(({ name }) => name === chosen)
      const progress = startsOver && !isPending ? newProgress() : stored
      const candidates = progress === stored ? needed : await neededSteps(host, prompt, progress)
      const step = candidates.find(({ name }) => name === chosen) ?? candidates[0]
      if (!step) return finish(host, prompt, progress)
      await present(host, { prompt, progress, step, needed: candidates }, {})
    },

    async answer(host, prompt) {
      const { ctx } = host
      const form = submittedForm(ctx)
      const name = form.get('step')
      const find = async (progress: StepProgress): Promise<Position | undefined> => {
        const needed = await neededSteps(host, prompt, progress)
        const step = name === null ? needed[0] : needed.find((candidate) => candidate.name === name)
        return step && { prompt, progress, step, needed }
      }
      // A form of an earlier step, from another tab or the browser's history, starts the sign-in again.
      const position = (await find(await loadProgress(host, prompt))) ?? (await find(newProgress()))
      if (!position) return seeOther(ctx, withQuery(host.path, host.query))
      const { step, progress } = position
      const outcome = await step.answer(contextOf(host, position), form)
      if (outcome.kind === 'refused') return host.refuse(outcome.description)
      if (outcome.kind === 'account gone') {
        ctx.status = 403
        return startOver(host)
      }
      if (outcome.kind === 'repeat') {
        const kept = outcome.state === undefined ? progress : withState(progress, step, outcome.state)
        if (kept !== progress) await host.saveProgress(prompt, kept)
        ctx.status = outcome.status
        return present(host, { ...position, progress: kept }, outcome)
      }
      await goOn(host, prompt, withCompleted(progress, step, outcome))
    },
  }
}

/** The account that a sign-in has identified, or that the browser asking for consent is signed in with. */
const accountOf = ({ open }: SignInHost, prompt: StepPrompt, { account }: StepProgress): StepContext['account'] =>
  prompt === 'login' || open?.accountId === undefined ? account : { accountId: open.accountId, signedInAt: open.signedInAt }

/** The address of the page at one step; without a name, of a new sign-in. */
function stepAddress(host: SignInHost, prompt: StepPrompt, step?: string): string {
  const account = step === undefined || (prompt === 'login' && host.isSwitch) ? 'other' : undefined
  return withQuery(host.path, { ...host.query, account, step })
}

const hiddenFields = (values: Record<string, string | undefined>): { name: string; value: string }[] =>
  Object.entries(values).flatMap(([name, value]) => (value === undefined ? [] : [{ name, value }]))
