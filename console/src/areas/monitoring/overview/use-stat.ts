import { useEffect } from 'react'
import { computeCluster } from '@mainstay/contract/compute/compute-cluster'
import { instanceKind } from '@mainstay/contract/compute/instances'
import { onChange } from '../../../api/changes'
import { useView } from '../../../api/use-view'

/** Delay before reloading, so that several changes trigger a single reload. */
const restMs = 1000
/** Polling interval, needed because host usage does not send events. */
const everyMs = 30_000

/** Virtual machine counts by state and resource usage, kept up to date while mounted. */
export function useStat() {
  const view = useView(computeCluster.stat, {}, { everyMs })
  const { reload } = view
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined
    const later = () => {
      timer = undefined
      reload()
    }
    const stop = onChange(instanceKind.name, () => (timer ??= setTimeout(later, restMs)))
    return () => {
      stop()
      clearTimeout(timer)
    }
    // `reload` is a new function on every render but always does the same thing
    // oxlint-disable-next-line react-hooks/exhaustive-deps
  }, [])
  return view
}
