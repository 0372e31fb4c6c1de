import { useEffect } from 'react'
import { computeCluster } from '@mainstay/contract/compute/compute-cluster'
import { instanceKind } from '@mainstay/contract/compute/instances'
import { onChange } from '../../../api/changes'
import { useView } from '../../../api/use-view'

/** Delay that combines several changes into one reload. */
const restMs = 1000
/** Polling interval, because no event announces host usage. */
const everyMs = 30_000

/** Number of virtual machines by state and their usage, kept up to date while mounted. */
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
    // `reload` changes on every render but always does the same
    // oxlint-disable-next-line react-hooks/exhaustive-deps
  }, [])
  return view
}
