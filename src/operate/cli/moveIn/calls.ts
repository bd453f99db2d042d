import type { ApiResponse } from '../../../engine/call.ts'
import type { ApiCall } from '../call/callApi.ts'

/** Calls an operation of the API for the import. */
export type Calls = (id: string, sent: Partial<Pick<ApiCall, 'parameters' | 'body' | 'form'>>) => Promise<ApiResponse>
