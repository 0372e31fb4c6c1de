import { CallProblem } from '../../api/problem'
import { queryClient } from '../../api/query-client'
import { loadTexts, textsNow } from '../../i18n/use-t'
import { notify } from '../../notices/notices'
import { sessionNow, setSession } from '../../session/session'
import { isS3Query } from './keys'

/** Error codes for object storage being unavailable, globally or for the domain (S1§8). */
const unavailable = ['s3_disabled', 's3_not_found']
const userDisabled = 's3_user_disabled'
/** Callbacks that clear state outside the query cache when object storage becomes unavailable. */
const forgetters = new Set<() => void>()

/** Registers a callback to run when object storage becomes unavailable. */
export const onLost = (forget: () => void) => void forgetters.add(forget)

/**
 * Checks whether an error means that the user no longer has object storage. If so, clears all cached data, removes the
 * menu entry, changes the home page and shows a notification. An unknown access key only invalidates the cached data.
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
