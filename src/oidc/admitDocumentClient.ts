import { isDeepStrictEqual } from 'node:util'
import { Problem } from '../lib/problem.ts'
import { type DocumentRules, readClientDocument, untrustedDocumentReason } from '../policy/clientDocument.ts'
import type { AuditEntry } from '../store/audit.ts'
import { findAnyClient, saveClient } from '../store/clients.ts'
import { clientFact } from '../store/facts/fact.ts'
import { storableText } from '../store/storableText.ts'
import type { ClientDocuments } from './clientDocuments.ts'
import type { Stores } from './stores.ts'

export interface AdmitArguments {
  stores: Pick<Stores, 'database' | 'facts'>
  schoolId: string
  rules: DocumentRules
  documents: ClientDocuments
  /** Counts the failures of the caller. Only the documents of clients that the school does not know are refused because of it. */
  failures: { check(): Promise<void>; count(): Promise<void> }
}

/**
 * Stores the client that a client id names by the URL of its document, so that the engine and all pages find it like any other. Called by
 * authorization requests only: other requests use the stored client and never cause a request to another host. A disabled client is not
 * changed. @returns the audit entry of a new or changed client
 * @throws Problem invalid_client, invalid_redirect_uri, rate_limited, temporarily_unavailable
 */
export async function admitDocumentClient(
  clientId: string,
  { stores: { database, facts }, schoolId, rules, documents, failures }: AdmitArguments,
): Promise<AuditEntry | undefined> {
  const untrusted = untrustedDocumentReason(clientId, rules)
  if (untrusted) throw new Problem('invalid_client', { description: untrusted })
  const known = storableText(clientId) === clientId ? await findAnyClient(database, schoolId, clientId) : undefined
  if (known?.disabled_at) return undefined
  const isKnown = known !== undefined
  if (!isKnown) await failures.check()
  const { metadata } = await loadMetadata(clientId, { rules, documents, isKnown }).catch(async (error: unknown) => {
    // A limit that refused the request counts for itself.
    if (error instanceof Problem && error.code !== 'rate_limited') await failures.count()
    throw error
  })
  if (known && isDeepStrictEqual(known.metadata, metadata)) return undefined
  await facts.changing([clientFact(schoolId, clientId)], () =>
    saveClient(database, { schoolId, id: clientId, registeredVia: 'document', metadata }),
  )
  const details = { client_name: metadata.client_name, redirect_uris: metadata.redirect_uris }
  return { school_id: schoolId, event: known ? 'client.document_changed' : 'client.document_accepted', client_id: clientId, details }
}

async function loadMetadata(
  clientId: string,
  { rules, documents, isKnown }: Pick<AdmitArguments, 'rules' | 'documents'> & { isKnown: boolean },
): Promise<{ metadata: Extract<ReturnType<typeof readClientDocument>, { metadata: unknown }>['metadata'] }> {
  const verdict = readClientDocument(clientId, await documents.load(clientId, { isKnown }), rules)
  if ('error' in verdict) throw new Problem(verdict.error, { description: verdict.description })
  return verdict
}
