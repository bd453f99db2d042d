import { text as textOf } from 'node:stream/consumers'
import { readMultipartForm } from '../../../../base/http/readMultipartForm.ts'
import { hash } from '../../../../base/keyring.ts'
import { isObject } from '../../../../base/text/jsonValue.ts'
import type { ManagedOperation, ManagedResource } from '../../../../engine/output/managedResources.ts'
import { plainText } from '../../../plainText.ts'
import { contentPart } from '../../../texts.ts'
import { confirmedOrAway } from '../../confirmation.ts'
import { accountField } from '../../ownFields.ts'
import { explained, type OwnPage, type OwnRequest, Refused } from '../../ownPage.ts'
import { formSubject } from '../../signedInPerson.ts'
import { audienceAs, listAddress } from './addresses.ts'
import { nothing, ofStaff, resourceOf } from './managed.ts'
import { errorsOf } from './problemTexts.ts'

/** A file of rows, and what the operation says about each. */
interface Imported {
  text: string
  results: readonly { row: number; key: string; reason: string | undefined }[]
}

declare module 'koa' {
  interface DefaultState {
    imported?: Imported
  }
}

interface Shown {
  resource: ManagedResource
  operation: ManagedOperation
  imported: Imported | undefined
}

const maxBytes = 262_144
/** The most rows of a file, which is the limit of an exported list. */
const exportedRows = '10000'

async function readImport(request: OwnRequest): Promise<Shown> {
  const resource = resourceOf(request)
  const role = audienceAs(await request.role())
  const operation = resource.operations.find(({ takesCsv, roles }) => takesCsv && roles.includes(role))
  if (!operation) throw nothing()
  return { resource, operation, imported: request.ctx.state.imported }
}

/** The page on which a person adds or changes many rows with a file: it shows what each row would do first. */
export const importPage: OwnPage<Shown> = {
  path: `${listAddress(':resource')}/import`,
  access: ofStaff,
  notices: { done: 'manage.done' },
  read: readImport,
  build: ({ texts, form, errorOf }, { resource, imported }) => ({
    title: { text: `${texts.text('manage.import')}: ${texts.resource(resource.title, resource.name)}` },
    back: { href: listAddress(resource.name), label: texts.resource(resource.title, resource.name) },
    introduction: texts.parts('manage.import_introduction', {}),
    sections: [
      ...(imported
        ? [
            {
              id: 'rows',
              heading: texts.counted('manage.import_possible', imported.results.filter(({ reason }) => reason === undefined).length),
              items: imported.results.map(({ row, key, reason }, at) => ({
                id: `row-${at + 1}`,
                title: [contentPart(`${row}. ${plainText(key, 254)}`)],
                mark: texts.text(reason === undefined ? 'manage.import_fits' : 'manage.import_fails'),
                isBad: reason !== undefined,
                lines: reason === undefined ? [] : [[contentPart(plainText(reason, 300))]],
              })),
            },
          ]
        : []),
      {
        id: 'form',
        heading: texts.text('manage.import'),
        forms: [
          {
            ...form('', {
              hidden: imported ? { seen: hash(imported.text) } : {},
              fields: [
                accountField({
                  name: 'file',
                  type: 'file',
                  label: texts.text('manage.import_file'),
                  autocomplete: 'off',
                  accept: '.csv,text/csv',
                  isOptional: true,
                }),
                accountField({
                  ...{ name: 'rows', type: 'textarea', label: texts.text('manage.import_text'), autocomplete: 'off', maxLength: maxBytes },
                  error: errorOf('rows'),
                  value: imported?.text ?? '',
                  isOptional: true,
                }),
              ],
              submit: texts.text(imported ? 'manage.import_submit' : 'manage.continue'),
              kind: 'main',
            }),
            isMultipart: true,
          },
        ],
      },
    ],
  }),
  forms: { '': { hasFile: true, run: importRows } },
}

async function importRows(request: OwnRequest): Promise<string> {
  const { ctx, services, person, perform } = request
  const { texts } = await request.pageContext()
  const { resource, operation } = await readImport(request)
  const form = await readMultipartForm(ctx, maxBytes)
  try {
    services.present.requireToken(ctx, formSubject(person), form.fields.csrf)
    const typed = form.file && form.file.bytes > 0 ? await textOf(form.file.read()) : (form.fields.rows ?? '')
    // Browsers send the line breaks of a field as two characters, whatever the file had.
    const text = typed.replaceAll('\r\n', '\n')
    const isSeen = form.fields.seen === hash(text)
    if (text.trim() === '') throw new Refused(422, { field: 'rows', text: texts.text('manage.import_empty') })
    const { body } = await perform(operation.id, undefined, {
      csv: text,
      isDryRun: !isSeen,
      language: texts.language,
      key: isSeen ? form.fields.once : undefined,
    })
    if (isSeen) return `${listAddress(resource.name)}?done=done`
    ctx.state.imported = { text, results: resultsIn(body) }
  } catch (error) {
    if (error instanceof Refused) throw error
    const problem = explained(error)
    const [first] = errorsOf(texts, problem, [])
    throw new Refused(problem.status, { field: 'rows', text: first?.text ?? '' })
  } finally {
    await form.discard()
  }
  throw new Refused(200)
}

const resultsIn = ({ results }: Readonly<Record<string, unknown>>): Imported['results'] =>
  (Array.isArray(results) ? results : []).filter(isObject).map(({ row, key, error }) => ({
    row: Number(row),
    key: typeof key === 'string' ? key : '',
    reason: isObject(error) ? String(error.error_description) : undefined,
  }))

/** The rows of a list as a file. A person who takes the data of many people with them confirms who they are. */
export const exportFile: OwnPage<never> = {
  path: `${listAddress(':resource')}/export.csv`,
  access: {
    ...ofStaff,
    async open(ctx, services, page) {
      const person = await ofStaff.open(ctx, services, page)
      return person && (await confirmedOrAway(ctx, services, `${listAddress(ctx.params.resource)}?done=confirmed`))
    },
  },
  async show(request) {
    const { ctx, school, perform } = request
    const resource = resourceOf(request)
    if (!resource.list?.isExported || audienceAs(await request.role()) !== 'staff') throw nothing()
    const names = new Set(['q', 'sort', ...resource.list.filters.map(({ name }) => name)])
    const query = Object.entries(ctx.query).filter(([name, value]) => names.has(name) && typeof value === 'string')
    const { stream } = await perform(
      resource.list.id,
      { ...Object.fromEntries(query), limit: exportedRows, csv: 'excel' },
      { type: 'text/csv' },
    )
    ctx.set('Cache-Control', 'no-store')
    ctx.attachment(`${resource.name}-${school.slug}-${new Date().toISOString().slice(0, 10)}.csv`)
    ctx.type = 'text/csv; charset=utf-8'
    let text = ''
    for await (const piece of stream?.pieces ?? []) text += piece
    ctx.body = text
  },
}
