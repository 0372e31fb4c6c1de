import { networks } from '@mainstay/contract/networking/networks'
import { useView } from '../../../api/use-view'

/** Proposes a range that no network in the project uses, or an empty string if there is none. */
export function useFreeRange(prefix: number, version: 4 | 6, isEnabled = true) {
  const { data, isLoading } = useView(
    networks.freeRange,
    {},
    { query: { prefix: String(prefix), version: String(version) }, isEnabled },
  )
  return { cidr: data?.cidr ?? '', isLoading: isEnabled && isLoading }
}
