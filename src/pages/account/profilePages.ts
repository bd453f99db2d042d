// More than 250 lines: the form of the profile and its picture are one page.
import type { Context, Middleware } from 'koa'
import { accountPaths } from '../../base/accountPaths.ts'
import { type ReceivedForm, readMultipartForm } from '../../base/http/readMultipartForm.ts'
import { Problem } from '../../base/problem.ts'
import { filePurposes } from '../../engine/declare/filePurposes.ts'
import { personName } from '../../identity/accounts/signUp.ts'
import type { Account } from '../../school/apiRows.ts'
import { submittedForm } from '../formBody.ts'
import { initialsOf } from '../initials.ts'
import { rememberLanguageOf } from '../language.ts'
import { plainText } from '../plainText.ts'
import { seeOther } from '../seeOther.ts'
import type { TextKey, Texts } from '../texts.ts'
import type { AccountArguments, OwnAnswer } from './accountArguments.ts'
import type { AccountSection } from './accountPage.ts'
import type { AccountPresenter } from './accountPresenter.ts'
import { accountField, languageField, timeZoneField } from './ownFields.ts'
import { explained, type OwnError, type OwnPageContext, type OwnPages } from './ownPage.ts'
import { formSubject, type SignedInPerson, signedInOrAway } from './signedInPerson.ts'

/** The page of the profile: picture, name, language and time zone. */
export interface ProfilePages {
  show: Middleware
  save: Middleware
  /** Takes a picture. Reads its form itself, because it contains a file. */
  savePicture: Middleware
  removePicture: Middleware
}

const notices = {
  saved: 'profile.done_saved',
  picture: 'profile.done_picture',
  picture_removed: 'profile.done_picture_removed',
} as const satisfies Record<string, TextKey>

/** The entered or stored values of the form. */
type Values = Record<'name' | 'given_name' | 'family_name' | 'locale' | 'time_zone', string>

export function profilePages(args: AccountArguments, present: AccountPresenter, pages: OwnPages): ProfilePages {
  const path = accountPaths.profile
  const { types, maxBytes } = filePurposes.avatar

  const showPage = async (ctx: Context, person: SignedInPerson, errors: readonly OwnError[] = [], typed?: Values): Promise<void> => {
    const response = await args.perform(ctx, person.accountId, 'getAccount')
    const available = args.languages(ctx.state.school)
    await pages.show(ctx, person, { path, notices, errors }, (context) => ({
      title: 'profile.title',
      heading: context.texts.text('profile.heading'),
      sections: [
        pictureSection(context, response, types),
        detailsSection(context, response, { typed, available }),
        membershipSection(context),
      ],
    }))
  }

  const textsOf = async (ctx: Context): Promise<Texts> => (await present.pageContext(ctx)).texts

  return {
    async show(ctx) {
      const person = await signedInOrAway(ctx, args, path)
      if (person) await showPage(ctx, person)
    },

    async save(ctx) {
      const form = submittedForm(ctx)
      const person = await pages.owner(ctx, path)
      if (!person) return
      const texts = await textsOf(ctx)
      const typed = typedValues(form)
      const { body, errors } = readValues(texts, typed, args.languages(ctx.state.school))
      if (errors.length > 0) {
        ctx.status = 400
        return showPage(ctx, person, errors, typed)
      }
      try {
        await args.perform(ctx, person.accountId, 'updateAccount', { body, ifMatch: form.get('version') ?? '' })
      } catch (error) {
        const problem = explained(error)
        ctx.status = problem.status
        if (problem.code === 'precondition_failed' || problem.code === 'invalid_request')
          return showPage(ctx, person, [{ text: texts.text('account.stale') }])
        return showPage(ctx, person, errorsOf(texts, problem), typed)
      }
      rememberLanguageOf(ctx, body.locale)
      seeOther(ctx, `${path}?done=saved`)
    },

    async savePicture(ctx) {
      const person = await signedInOrAway(ctx, args, path)
      if (!person) return
      const texts = await textsOf(ctx)
      let form: ReceivedForm | undefined
      try {
        form = await readMultipartForm(ctx, maxBytes)
        present.requireToken(ctx, formSubject(person), form.fields.csrf)
        await storePicture(args, ctx, person, form)
      } catch (error) {
        const problem = explained(error)
        if (problem.code === 'access_denied') throw problem
        ctx.status = problem.status
        return await showPage(ctx, person, [{ field: 'file', text: texts.text(pictureError(problem)) }])
      } finally {
        await form?.discard()
      }
      seeOther(ctx, `${path}?done=picture`)
    },

    async removePicture(ctx) {
      const person = await pages.owner(ctx, path)
      if (!person) return
      await args.perform(ctx, person.accountId, 'updateAccount', { body: { avatar: null } })
      seeOther(ctx, `${path}?done=picture_removed`)
    },
  }
}

/** Uploads the picture as a file of the person, then makes it the picture of the account. */
async function storePicture(args: AccountArguments, ctx: Context, { accountId }: SignedInPerson, form: ReceivedForm): Promise<void> {
  if (!form.file || form.file.bytes === 0) throw new Problem('validation_failed', { details: [{ code: 'required', message: 'file' }] })
  const fields = { purpose: 'avatar', visibility: 'public' }
  const { body } = await args.perform(ctx, accountId, 'uploadFile', { form: { ...form, fields } })
  await args.perform(ctx, accountId, 'updateAccount', { body: { avatar: { file_id: body.id } } })
}

function pictureError({ code, details }: Problem): TextKey {
  if (code === 'type_not_allowed') return 'profile.picture_type'
  if (code === 'payload_too_large') return 'profile.picture_size'
  if (code === 'quota_exceeded') return 'profile.picture_quota'
  if (code === 'validation_failed' && details[0]?.code === 'required') return 'profile.picture_missing'
  return code === 'validation_failed' ? 'profile.picture_name' : 'account.error_other'
}

function typedValues(form: URLSearchParams): Values {
  const value = (name: string): string => (form.get(name) ?? '').slice(0, 1000)
  return {
    name: value('name'),
    given_name: value('given_name'),
    family_name: value('family_name'),
    locale: value('locale'),
    time_zone: value('time_zone'),
  }
}

/** Returns the change for the API, or the errors of the fields. */
function readValues(texts: Texts, typed: Values, available: readonly string[]) {
  const errors: OwnError[] = []
  const name = personName(typed.name)
  if (name === undefined) errors.push({ field: 'name', text: texts.text('sign_up.no_name') })
  const short = (field: 'given_name' | 'family_name'): string | null => {
    if (typed[field].trim() === '') return null
    const value = personName(typed[field])
    if (value === undefined || [...value].length > 60) errors.push({ field, text: texts.text('profile.no_short_name') })
    return value ?? null
  }
  const [given_name, family_name] = [short('given_name'), short('family_name')]
  const body = { name, given_name, family_name, locale: typed.locale || null, time_zone: typed.time_zone || null }
  if (body.locale !== null && !available.includes(body.locale) && !/^[A-Za-z0-9-]{2,35}$/.test(body.locale))
    errors.push({ field: 'locale', text: texts.text('profile.language_wrong') })
  return { body, errors }
}

const fieldErrors: Readonly<Record<string, TextKey>> = {
  name: 'sign_up.no_name',
  given_name: 'profile.no_short_name',
  family_name: 'profile.no_short_name',
  locale: 'profile.language_wrong',
  time_zone: 'profile.time_zone_wrong',
}

/** Returns the errors of an operation in the language of the page. */
function errorsOf(texts: Texts, { details }: Problem): OwnError[] {
  const found = details.flatMap(({ field }): OwnError[] => {
    const text = field === undefined ? undefined : fieldErrors[field]
    return field !== undefined && text ? [{ field, text: texts.text(text) }] : []
  })
  return found.length > 0 ? found : [{ text: texts.text('account.error_other') }]
}

function pictureSection(
  { texts, person, errorOf }: OwnPageContext,
  { body }: OwnAnswer<Account>,
  types: readonly string[],
): AccountSection {
  const avatar = body.avatar ?? undefined
  return {
    id: 'picture',
    heading: texts.text('profile.picture'),
    picture: avatar && {
      // A path, so that the picture is of the page's own origin.
      src: new URL(avatar.url).pathname,
      alt: texts.text('profile.picture_alt'),
      width: undefined,
      height: undefined,
    },
    initials: initialsOf(person.who.name),
    paragraphs: avatar ? [] : [texts.parts('profile.picture_none', {})],
    forms: [
      {
        action: accountPaths.picture,
        isMultipart: true,
        fields: [
          accountField({
            ...{ name: 'file', type: 'file', label: texts.text('profile.picture_file'), autocomplete: 'off' },
            hint: texts.text('profile.picture_hint'),
            error: errorOf('file'),
            accept: types.join(','),
          }),
        ],
        submit: texts.text('profile.picture_save'),
      },
      ...(avatar ? [{ action: accountPaths.removePicture, submit: texts.text('profile.picture_remove') }] : []),
    ],
  }
}

function detailsSection(
  { texts, errorOf }: OwnPageContext,
  { body, etag = '' }: OwnAnswer<Account>,
  { typed, available }: { typed: Values | undefined; available: readonly string[] },
): AccountSection {
  const value = (name: keyof Values): string => typed?.[name] ?? body[name] ?? ''
  const text = (name: 'name' | 'given_name' | 'family_name', autocomplete: string, maxLength: number) =>
    accountField({
      ...{ name, type: 'text', label: texts.text(`profile.${name}`), autocomplete, maxLength },
      value: plainText(value(name), maxLength),
      isOptional: name !== 'name',
      error: errorOf(name),
    })
  return {
    id: 'details',
    heading: texts.text('profile.details'),
    paragraphs: [],
    forms: [
      {
        action: accountPaths.profile,
        hidden: [{ name: 'version', value: etag }],
        fields: [
          text('name', 'name', 120),
          text('given_name', 'given-name', 60),
          text('family_name', 'family-name', 60),
          languageField(texts, { value: value('locale'), available, error: errorOf('locale') }),
          timeZoneField(texts, { value: value('time_zone'), error: errorOf('time_zone') }),
        ],
        submit: texts.text('profile.save'),
        kind: 'main',
      },
    ],
  }
}

const membershipSection = ({ texts, schoolName, role }: OwnPageContext): AccountSection => ({
  id: 'membership',
  heading: texts.text('profile.membership', { school: schoolName }),
  paragraphs: [texts.parts(`profile.role_${role}`, {})],
})
