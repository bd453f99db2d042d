import { accountPaths } from '../../base/accountPaths.ts'
import { readMultipartForm } from '../../base/http/readMultipartForm.ts'
import { filePurposes } from '../../engine/declare/filePurposes.ts'
import { personName } from '../../identity/accounts/signUp.ts'
import type { Account } from '../../school/apiRows.ts'
import { initialsOf } from '../initials.ts'
import { rememberLanguageOf } from '../language.ts'
import { plainText } from '../plainText.ts'
import type { OwnAnswer } from './accountArguments.ts'
import type { AccountSection } from './accountPage.ts'
import { accountField, languageField, timeZoneField } from './ownFields.ts'
import { type OwnError, type OwnPage, type OwnPageContext, type OwnRequest, Refused } from './ownPage.ts'
import { formSubject } from './signedInPerson.ts'

const { types, maxBytes } = filePurposes.avatar

/** The page of the profile: picture, name, language and time zone. */
export const profilePage: OwnPage<OwnAnswer<Account>> = {
  path: accountPaths.profile,
  notices: { saved: 'profile.done_saved', picture: 'profile.done_picture', picture_removed: 'profile.done_picture_removed' },
  read: ({ perform }) => perform('getAccount'),
  build: (context, response) => ({
    title: 'profile.title',
    heading: context.texts.text('profile.heading'),
    sections: [pictureSection(context, response.body), detailsSection(context, response), membershipSection(context)],
  }),
  forms: {
    '': {
      operation: 'updateAccount',
      ifMatch: (sent) => sent.get('version') ?? '',
      body: valuesIn,
      done(_answer, { ctx, sent }) {
        rememberLanguageOf(ctx, typed(sent, 'locale') || null)
        return 'saved'
      },
      problems: {
        precondition_failed: 'account.stale',
        invalid_request: 'account.stale',
        'validation_failed.name': 'sign_up.no_name',
        'validation_failed.given_name': 'profile.no_short_name',
        'validation_failed.family_name': 'profile.no_short_name',
        'validation_failed.locale': 'profile.language_wrong',
        'validation_failed.time_zone': 'profile.time_zone_wrong',
      },
    },
    [accountPaths.picture]: {
      hasFile: true,
      field: 'file',
      run: savePicture,
      problems: {
        type_not_allowed: 'profile.picture_type',
        payload_too_large: 'profile.picture_size',
        quota_exceeded: 'profile.picture_quota',
        validation_failed: 'profile.picture_name',
        other: 'account.error_other',
      },
    },
    [accountPaths.removePicture]: { operation: 'updateAccount', body: () => ({ avatar: null }), done: 'picture_removed' },
  },
}

type Field = 'name' | 'given_name' | 'family_name' | 'locale' | 'time_zone'

const typed = (sent: URLSearchParams, name: Field): string => (sent.get(name) ?? '').slice(0, 1000)

/** Returns the change for the API. @throws Refused with the errors of the fields that people mistype */
async function valuesIn(sent: URLSearchParams, { services, school, pageContext }: OwnRequest) {
  const { texts } = await pageContext()
  const available: readonly string[] = services.languages(school)
  const name = personName(typed(sent, 'name'))
  const isLong = (field: Field): boolean => {
    const text = typed(sent, field)
    return text.trim() !== '' && (personName(text) === undefined || [...(personName(text) ?? '')].length > 60)
  }
  const locale = typed(sent, 'locale')
  const errors: OwnError[] = [
    ...(name === undefined ? [{ field: 'name', text: texts.text('sign_up.no_name') }] : []),
    ...(['given_name', 'family_name'] as const).filter(isLong).map((field) => ({ field, text: texts.text('profile.no_short_name') })),
    ...(locale !== '' && !available.includes(locale) && !/^[A-Za-z0-9-]{2,35}$/.test(locale)
      ? [{ field: 'locale', text: texts.text('profile.language_wrong') }]
      : []),
  ]
  if (errors.length > 0) throw new Refused(400, ...errors)
  const nameIn = (field: Field): string | null => personName(typed(sent, field)) ?? null
  return {
    ...{ name, given_name: nameIn('given_name'), family_name: nameIn('family_name') },
    ...{ locale: locale || null, time_zone: typed(sent, 'time_zone') || null },
  }
}

/** Uploads the picture as a file of the person, then makes it the picture of the account. */
async function savePicture({ ctx, services, person, perform, pageContext }: OwnRequest): Promise<string> {
  const form = await readMultipartForm(ctx, maxBytes)
  try {
    services.present.requireToken(ctx, formSubject(person), form.fields.csrf)
    if (!form.file || form.file.bytes === 0) {
      const { texts } = await pageContext()
      throw new Refused(422, { field: 'file', text: texts.text('profile.picture_missing') })
    }
    const { body } = await perform('uploadFile', undefined, { form: { ...form, fields: { purpose: 'avatar', visibility: 'public' } } })
    await perform('updateAccount', undefined, { body: { avatar: { file_id: body.id } } })
    return 'picture'
  } finally {
    await form.discard()
  }
}

function pictureSection({ texts, person, errorOf }: OwnPageContext, { avatar }: Account): AccountSection {
  return {
    id: 'picture',
    heading: texts.text('profile.picture'),
    picture:
      avatar === null
        ? undefined
        : {
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
  { texts, errorOf, sent, request: { services, school } }: OwnPageContext,
  { body, etag = '' }: OwnAnswer<Account>,
): AccountSection {
  const value = (name: Field): string => (sent ? typed(sent, name) : (body[name] ?? ''))
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
    forms: [
      {
        action: accountPaths.profile,
        hidden: [{ name: 'version', value: etag }],
        fields: [
          text('name', 'name', 120),
          text('given_name', 'given-name', 60),
          text('family_name', 'family-name', 60),
          languageField(texts, { value: value('locale'), available: services.languages(school), error: errorOf('locale') }),
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
