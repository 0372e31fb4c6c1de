import type { Translate } from '../i18n/use-t'
import type { CallProblem } from './problem'

/** What a problem says to a person. What the server said stands as it is; our own words are in the page's language. */
export function problemText(problem: CallProblem, t: Translate<'shell'>): string {
  switch (problem.kind) {
    case 'network':
      return t(problem.code === 'stalled' ? 'problem.stalled' : 'problem.network')
    case 'unreadable':
      return t('problem.unreadable')
    case 'not-found':
      return t('problem.notFound')
    case 'server':
      return problem.code === 'engine_unavailable' ? t('problem.engineUnavailable') : t('problem.server')
    default:
      return problem.message
  }
}
