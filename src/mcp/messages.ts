import { type CatalogueArguments, createCatalogue } from './createCatalogue.ts'
import { createExchange } from './exchangeMessage.ts'
import { requireOrigin } from './requireOrigin.ts'

/** Creates the part of the MCP endpoint that needs the SDK. */
export const createMessages = (args: CatalogueArguments) => ({ requireOrigin, exchange: createExchange(createCatalogue(args), args.log) })
