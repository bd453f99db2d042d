/** Returns true for a client id that the client means as the URL of a client ID metadata document. */
export const looksLikeDocumentUrl = (clientId: string): boolean => /^https:/i.test(clientId)
