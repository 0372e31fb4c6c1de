import { asProblem, CallProblem, isCancelled } from '../api/problem'
import { problemText } from '../api/problem-text'
import { textsNow } from '../i18n/use-t'
import { notify } from './notices'

/**
 * Says in the corner that something failed and why, and keeps it in the list, with the id under which the server has it in
 * its log. For what no form and no dialog can answer. What was called off is not told.
 *
 * @param title what was tried, as "Cannot start web-1"; left out, the one title for everything
 */
export function notifyError(thrown: unknown, title = textsNow('shell')('problem.title')): void {
  if (isCancelled(thrown)) return
  const problem = asProblem(thrown)
  notify({
    type: 'error',
    title,
    message: problemText(problem, textsNow('shell')),
    requestId: problem.requestId,
  })
}

/** Tells of calls that failed without anybody waiting for them. Returns what ends it. */
export function notifyUnhandledErrors(): () => void {
  const look = ({ reason }: PromiseRejectionEvent) => {
    if (reason instanceof CallProblem) notifyError(reason)
  }
  addEventListener('unhandledrejection', look)
  return () => removeEventListener('unhandledrejection', look)
}
