import { z } from 'zod'
import { variables } from './environment.ts'
import { type JsonSchema, toJsonSchema } from './jsonSchema.ts'
import { oauthSchema } from './oauth.ts'
import { resourcesSchema } from './resourceServers.ts'
import { rolesSchema } from './roles.ts'
import { schoolSchema } from './schools.ts'
import { serverSchema } from './server.ts'

export interface DescribedFile {
  name: string
  path: string
  about: string
  schema: JsonSchema
}

export function describedFiles(): DescribedFile[] {
  const file = (name: string, path: string, about: string, schema: z.ZodType): DescribedFile => ({
    name,
    path,
    about,
    schema: toJsonSchema(schema),
  })
  return [
    file('server', 'server.yaml', 'The process and the gateway in front of it.', serverSchema),
    file('oauth', 'oauth.yaml', 'The authorization server, the same for all schools.', oauthSchema([])),
    file('resources', 'resources.yaml', 'Additional resource servers (RFC 8707).', resourcesSchema([])),
    file('roles', 'roles.yaml', 'Scopes that a person of each role can grant to a client.', rolesSchema([])),
    file('school', 'schools/<slug>.yaml', 'One school. Adding a file adds a school; the file name is its slug.', schoolSchema),
  ]
}

export function describedVariables(): ({ name: string } & JsonSchema)[] {
  // zod omits the metadata of transformed strings from the JSON Schema, so they are read from the source.
  const { properties = {} } = toJsonSchema(z.object(variables))
  return Object.entries(variables).map(([name, schema]) => ({ name, ...properties[name], ...(schema.meta() as JsonSchema) }))
}
