import { begins, openNow } from './entryPoints.ts'
import { paths, type SchoolFacts } from './schoolFacts.ts'

/** Renders the index at the path of the API: the resources, which of them visitors can read, and where they are described. */
export async function apiIndex(facts: SchoolFacts): Promise<string> {
  const { issuer, operations } = facts
  const open = new Set(await openNow(facts))
  const resources = begins(operations).map((operation) => ({
    name: operation.resource.name,
    about: operation.resource.about,
    url: issuer + operation.path,
    anonymous: open.has(operation),
    scope: operation.scope,
  }))
  return JSON.stringify({ documentation: issuer + paths.authMd, description: issuer + paths.openApi, resources })
}
