import openapiTS, { astToString } from 'openapi-typescript'

/** Returns the types of the API that a service describes. */
export const openApiTypes = async (issuer: string): Promise<string> => astToString(await openapiTS(new URL(`${issuer}/openapi.json`)))
