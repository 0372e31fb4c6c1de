import { asProblem, CallProblem, isCancelled } from '../api/problem'
import { problemText } from '../api/problem-text'
import { textsNow } from '../i18n/use-t'
import { notify } from './notices'

/**
 * Shows an error notification with the reason and the request ID from the server log. Use it for failures that no form
 * or dialog can show. Cancelled calls are ignored.
 *
 * @param title what failed, for example "Cannot start web-1"; defaults to a generic title
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

/** Shows a notification for each failed call that no code handled. Returns a function to stop showing them. */
export function notifyUnhandledErrors(): () => void {
  const look = ({ reason }: PromiseRejectionEvent) => {
    if (reason instanceof CallProblem) notifyError(reason)
  }
  addEventListener('unhandledrejection', look)
  return () => removeEventListener('unhandledrejection', look)
}
