import { useEffect } from 'react'
import { computeCluster } from '@mainstay/contract/compute/compute-cluster'
import { instanceKind } from '@mainstay/contract/compute/instances'
import { onChange } from '../../../api/changes'
import { useView } from '../../../api/use-view'

/** Many machines that change at once are counted together. */
const restMs = 1000
/** Of what no event tells: use of the hosts. */
const everyMs = 30_000

/** Machines by state, and what they use. Stays true while it is shown. */
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
    // `reload` is another one at each render, and does the same
    // oxlint-disable-next-line react-hooks/exhaustive-deps
  }, [])
  return view
}
