import type { Translate } from '../i18n/use-t'
import type { CallProblem } from './problem'

/** The cloud's own words, with the id under which its operators find more. */
function reasonOf({ message, data }: CallProblem): string {
  const id = data['cloud_request_id']
  return typeof id === 'string' ? `${message} (${id})` : message
}

/**
 * What a problem says to a person. What the server said stands as it is; our own words are in the page's language. Every text of
 * a 5xx answer begins with the same sentence (S1§8), and tells after it what is known of the reason.
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
