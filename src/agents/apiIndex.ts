import { begins, isOpen } from './begins.ts'
import { paths, type SchoolFacts } from './schoolFacts.ts'

/** The address of the API itself: what there is, and where it is described. */
export function apiIndex({ issuer, operations }: SchoolFacts): string {
  const resources = begins(operations).map((operation) => ({
    name: operation.resource.name,
    about: operation.resource.about,
    url: issuer + operation.path,
    anonymous: isOpen(operation),
    scope: operation.scope,
  }))
  return JSON.stringify({ documentation: issuer + paths.authMd, description: issuer + paths.openApi, resources })
}
