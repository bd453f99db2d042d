import { type CatalogueArguments, createCatalogue } from './createCatalogue.ts'
import { createExchange } from './exchangeMessage.ts'

/** Creates the part of the MCP endpoint that needs the SDK. */
export const createMessages = (args: CatalogueArguments) => createExchange(createCatalogue(args), args.log)
