import { useEffect } from 'react'
import { allQuotas, quotaNames } from '@mainstay/contract/all-quotas'
import { quotaKind, quotas } from '@mainstay/contract/compute/quotas'
import { onChange } from '../api/changes'
import { useView } from '../api/use-view'
import { isDomainMode, useSession } from '../session/session'
import { useMay } from '../session/may'

const counted = [...new Set(quotaNames.map((name) => allQuotas[name].of))]
const withUsage = { usage: 'true' }
/** Batches changes: usage is reloaded at most once per second. */
const restMs = 1000
/** Domain administrators receive changes to limits but not to objects in projects, so usage is polled. */
const unheardMs = 15_000

/** Limits and usage of a project's quotas, updated live. */
export function useQuotas(projectId: string | undefined) {
  const may = useMay()
  const isUnheard = useSession(isDomainMode)
  const isEnabled = projectId !== undefined && projectId !== '' && may(quotas.view.needs)
  const view = useView(
    quotas.view,
    { id: projectId ?? '-' },
    { kind: quotaKind, query: withUsage, isEnabled, ...(isUnheard && { everyMs: unheardMs }) },
  )
  const { reload } = view
  useEffect(() => {
    if (!isEnabled) return undefined
    let timer: ReturnType<typeof setTimeout> | undefined
    const later = () => {
      timer = undefined
      reload()
    }
    const stops = counted.map((kind) =>
      onChange(kind, (change) => {
        if (change.project_id === projectId) timer ??= setTimeout(later, restMs)
      }),
    )
    return () => {
      for (const stop of stops) stop()
      clearTimeout(timer)
    }
    // `reload` is a new function on every render, but always does the same thing
    // oxlint-disable-next-line react-hooks/exhaustive-deps
  }, [isEnabled, projectId])
  return { ...view, isEnabled }
}
