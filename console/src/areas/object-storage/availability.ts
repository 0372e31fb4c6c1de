import { CallProblem } from '../../api/problem'
import { queryClient } from '../../api/query-client'
import { loadTexts, textsNow } from '../../i18n/use-t'
import { notify } from '../../notices/notices'
import { sessionNow, setSession } from '../../session/session'
import { isS3Query } from './keys'

/** There is no object storage, or none for the domain (S1§8). */
const unavailable = ['s3_disabled', 's3_not_found']
const userDisabled = 's3_user_disabled'
/** What has to be forgotten when object storage is lost, beside what is cached. */
const forgetters = new Set<() => void>()

/** Hears of the loss of object storage. */
export const onLost = (forget: () => void) => void forgetters.add(forget)

/**
 * Looks whether a failure means that this person has no object storage any more. Then all that is kept of it is dropped, the
 * menu loses its entry, `/` leads elsewhere, and a notification says whom to ask. A key that the server does not know any more
 * only makes what is kept untrue.
 */
export function handleUnavailable(problem: unknown): void {
  if (!(problem instanceof CallProblem)) return
  if (problem.code === 'InvalidAccessKeyId') return void queryClient.invalidateQueries({ predicate: isS3Query })
  const isUser = problem.code === userDisabled
  if (isUser || unavailable.includes(problem.code)) lose(isUser)
}

function lose(isUser: boolean) {
  for (const forget of forgetters) forget()
  queryClient.removeQueries({ predicate: isS3Query })
  const { meta } = sessionNow()
  if (!meta?.services.s3.available) return
  const { s3_enable: _, ...permissions } = meta.permissions
  setSession({ meta: { ...meta, permissions, services: { ...meta.services, s3: { available: false } } } })
  void loadTexts('objectStorage').then(() => {
    const t = textsNow('objectStorage')
    notify({
      type: 'info',
      title: t(isUser ? 'lost.user' : 'lost.service'),
      message: t(isUser ? 'lost.userText' : 'lost.serviceText'),
    })
  })
}
