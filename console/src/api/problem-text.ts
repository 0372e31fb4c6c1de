import type { Translate } from '../i18n/use-t'
import type { CallProblem } from './problem'

/** The cloud's error message, with the request ID to look up in its logs. */
function reasonOf({ message, data }: CallProblem): string {
  const id = data['cloud_request_id']
  return typeof id === 'string' ? `${message} (${id})` : message
}

/**
 * The user-facing text for a problem. Server messages are shown unchanged; the console's own texts are in the page's
 * language. All texts for 5xx responses begin with the same sentence (S1§8), followed by the reason if it is known.
 */
export function problemText(problem: CallProblem, t: Translate<'shell'>): string {
  if (problem.isBusy) {
    const seconds = problem.retryAfterSeconds ?? 1
    return t(problem.kind === 'server' ? 'problem.serverBusy' : 'problem.busy', { seconds })
  }
  switch (problem.kind) {
    case 'network':
      return t(problem.code === 'stalled' ? 'problem.stalled' : 'problem.network')
    case 'unreadable':
      return t('problem.unreadable')
    case 'not-found':
      return t('problem.notFound')
    case 'server':
      if (problem.code === 'database_unavailable') return t('problem.databaseUnavailable')
      return problem.code === 'engine_unavailable'
        ? t('problem.engineUnavailable', { reason: reasonOf(problem) })
        : t('problem.server')
    default:
      return problem.message
  }
}
