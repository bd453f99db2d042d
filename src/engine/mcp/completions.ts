import type { CompleteRequestParams, CompleteResult } from '@modelcontextprotocol/server'
import { Problem } from '../../base/problem.ts'
import { comparisonForm } from '../../base/text/comparisonForm.ts'
import { ownMember } from '../../base/text/ownMember.ts'
import { apiPath, type Operation } from '../declare/operations.ts'
import { catalogueReads, read, type Served } from './catalogue.ts'
import type { CataloguePrompt } from './prompts.ts'

/** The most values of one completion (MCP completion). */
const maxValues = 100
const longestValue = 200

/** Returns a function that completes the slugs in resource templates, and the arguments of prompts. Visitors find no other slugs in lists. */
export function catalogueCompletions(
  operations: readonly Operation[],
  { templates, prompts }: { templates: readonly string[]; prompts: readonly CataloguePrompt[] },
): (params: CompleteRequestParams, context: Served) => Promise<CompleteResult> {
  const lists = new Map(
    catalogueReads(operations)
      .filter((operation) => operation.kind === 'list' && !operation.parent)
      .map((operation) => [operation.path, operation]),
  )
  return async ({ ref, argument }, context) => {
    const source = ref.type === 'ref/prompt' ? ofPrompt(ref.name, argument.name) : ofTemplate(ref.uri, argument.name)
    const begun = comparisonForm(argument.value)
    if (source === undefined || begun.length > longestValue || begun.includes('\0')) return completed([], false)
    if (typeof source !== 'string')
      return completed(
        source.filter((value) => value.startsWith(begun)),
        false,
      )
    const list = lists.get(`${apiPath}/${source}`)
    return list ? await slugsIn(list, begun, context) : completed([], false)
  }

  function ofPrompt(name: string, argument: string): readonly string[] | string | undefined {
    const prompt = prompts.find(({ listing }) => listing.name === name)
    if (!prompt) throw unknownReference(`There is no prompt ${name.slice(0, 100)}.`)
    return ownMember(prompt.completions ?? {}, argument)
  }

  /** Returns the name of the list: `school://courses/{slug}/outline` has the slugs of `/api/v1/courses`. */
  function ofTemplate(uri: string, argument: string): string | undefined {
    if (!templates.includes(uri)) throw unknownReference(`There is no resource template ${uri.slice(0, 100)}.`)
    return argument === 'slug' ? /^school:\/\/([^/]+)\/\{slug\}/.exec(uri)?.[1] : undefined
  }
}

async function slugsIn(list: Operation, begun: string, context: Served): Promise<CompleteResult> {
  const hasPrefix = list.parameters.some(({ name }) => name === 'slug[prefix]')
  const values = { fields: ['slug'], limit: maxValues, ...(hasPrefix && begun !== '' && { 'slug[prefix]': begun }) }
  const { data, page } = (await read(list, values, context)) as { data: { slug: string }[]; page: { has_more: boolean } }
  return completed(
    data.map(({ slug }) => slug).filter((slug) => slug.startsWith(begun)),
    page.has_more,
  )
}

const completed = (values: readonly string[], hasMore: boolean): CompleteResult => ({ completion: { values: [...values], hasMore } })

const unknownReference = (description: string): Problem => new Problem('invalid_parameter', { description })
