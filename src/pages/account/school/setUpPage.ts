import { accountPaths } from '../../../base/accountPaths.ts'
import { readMultipartForm } from '../../../base/http/readMultipartForm.ts'
import { languages, lookUpLanguage } from '../../../base/text/languages.ts'
import { filePurposes } from '../../../engine/declare/filePurposes.ts'
import type { SchoolRow } from '../../../school/apiRows.ts'
import { createTexts, type TextKey, type Texts } from '../../texts.ts'
import { type OwnRequest, Refused } from '../ownPage.ts'
import { formSubject } from '../signedInPerson.ts'
import { exampleCurriculum } from './exampleCurriculum.ts'
import { readFirstSteps } from './firstSteps.ts'
import { schoolPage } from './schoolAdmin.ts'
import { coloursIn, detailsIn, imprintOf, type SetUp, setUpSections, typed } from './setUpSections.ts'

/** The page on which owners and admins set up a school. Its forms call the operations that an app would call. */
export const setUpPage = schoolPage<SetUp>({
  path: accountPaths.schoolSetUp,
  notices: {
    details: 'setup.saved_details',
    imprint: 'setup.saved_imprint',
    logo: 'setup.saved_logo',
    look: 'setup.saved_look',
    course: 'setup.saved_course',
    publish: 'setup.saved_publish',
  },
  async read(request) {
    const [{ body: school }, { body: appearance }, progress] = await Promise.all([
      request.perform('getSchool'),
      request.perform('getAppearance'),
      readFirstSteps(request),
    ])
    return { school, appearance, progress }
  },
  build: (context, shown) => ({
    title: 'setup.title',
    introduction: context.texts.parts('setup.introduction', {}),
    sections: shown.progress.steps.map(({ name, isDone }) => ({
      id: name,
      heading: isDone
        ? context.texts.text('setup.step_done', { step: context.texts.text(`setup.${name}`) })
        : context.texts.text(`setup.${name}`),
      ...setUpSections[name](context, shown),
    })),
  }),
  forms: {
    details: {
      operation: 'updateSchool',
      body: detailsIn,
      done: 'details',
      problems: { 'validation_failed.contact_email': 'account_form.no_address', validation_failed: 'setup.wrong_details' },
    },
    imprint: { run: publishImprint, problems: { slug_taken: 'setup.imprint_taken', other: 'account.error_other' } },
    logo: {
      hasFile: true,
      field: 'file',
      run: saveLogo,
      problems: { type_not_allowed: 'setup.logo_type', payload_too_large: 'setup.logo_size', other: 'account.error_other' },
    },
    look: {
      operation: 'updateAppearance',
      body: (sent) => ({ colors: coloursIn(sent) }),
      done: 'look',
      problems: { low_contrast: 'setup.low_contrast' },
    },
    course: { run: addExample, problems: { other: 'account.error_other' } },
    publish: { operation: 'publishCourse', done: 'publish', problems: { not_publishable: 'setup.not_publishable' } },
  },
})

async function refuse({ pageContext }: OwnRequest, field: string, key: TextKey): Promise<never> {
  const { texts } = await pageContext()
  throw new Refused(422, { field, text: texts.text(key) })
}

/** Returns the texts in the main language of the school. */
const textsOf = (school: SchoolRow, { isInformal }: Texts): Texts =>
  createTexts(lookUpLanguage([school.locale], languages) ?? 'en', isInformal)

/** Publishes a page with the details of the school. */
async function publishImprint({ perform, pageContext }: OwnRequest): Promise<string> {
  const { body: school } = await perform('getSchool')
  const texts = textsOf(school, (await pageContext()).texts)
  const blocks = [{ type: 'text', props: { content: imprintOf(texts, school), content_format: 'markdown' } }]
  const { body: page } = await perform('createPage', undefined, {
    body: { title: texts.text('home.imprint'), slug: 'legal/imprint', kind: 'legal', blocks },
  })
  await perform('publishPage', { id: String(page.id) })
  return 'imprint'
}

/** Uploads a picture, then makes it the logo. */
async function saveLogo(request: OwnRequest): Promise<string> {
  const { ctx, services, person, perform } = request
  const form = await readMultipartForm(ctx, filePurposes.image.maxBytes)
  try {
    services.present.requireToken(ctx, formSubject(person), form.fields.csrf)
    if (!form.file || form.file.bytes === 0) return await refuse(request, 'file', 'setup.logo_missing')
    const { body: file } = await perform('uploadFile', undefined, { form: { ...form, fields: { purpose: 'image', visibility: 'public' } } })
    await perform('updateAppearance', undefined, { body: { logo: { file_id: file.id, alt: (await request.pageContext()).schoolName } } })
    return 'logo'
  } finally {
    await form.discard()
  }
}

/** Adds a draft with two lessons to change, taught by the first lecturer, or by the person if there is none. */
async function addExample(request: OwnRequest): Promise<string> {
  const { ctx, sent, services, accountId, perform, person, pageContext } = request
  const title = typed(sent, 'course_title')
  if (title === null) return await refuse(request, 'course_title', 'setup.course_no_title')
  const { rows } = await services.list(ctx, accountId, 'listLecturers', { fields: 'display_name' }, { limit: 1 })
  const once = sent.get('once') ?? ''
  // A double click adds neither a second lecturer nor a second course.
  const body = { display_name: person.who.name }
  const lecturer = rows[0] ?? (await perform('createLecturer', undefined, { body, key: `${once}-lecturer` })).body
  const { body: course } = await perform('createCourse', undefined, {
    body: { title: title.slice(0, 160), access: 'free', lecturer_ids: [String(lecturer.id)] },
    key: once,
  })
  const { body: school } = await perform('getSchool')
  const texts = textsOf(school, (await pageContext()).texts)
  await perform('importCurriculum', { id: String(course.id) }, { body: exampleCurriculum(texts) })
  return 'course'
}
