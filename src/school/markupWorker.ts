/** Runs in a thread: renders texts with much markup. */
import { parentPort } from 'node:worker_threads'
import { answerMarkup, type MarkupRequest } from './markupRenderer.ts'

parentPort?.on('message', (request: MarkupRequest) => {
  parentPort?.postMessage(answerMarkup(request))
})
