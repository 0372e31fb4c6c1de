import { locationKind, locations, type LocationMove } from '@mainstay/contract/infrastructure/locations'
import { nodeKind } from '@mainstay/contract/infrastructure/nodes'
import { problemText } from '../../../api/problem-text'
import { useView } from '../../../api/use-view'
import { useFormat } from '../../../i18n/use-format'
import { useT } from '../../../i18n/use-t'

/** Says how much data an attached Ceph cluster moves as a result of a move. Null: nothing is chosen yet. */
export function DataToMove({ move }: { move: LocationMove | null }) {
  const t = useT('infrastructure')
  const shell = useT('shell')
  const format = useFormat()
  const { data, problem } = useView(
    locations.estimateMove,
    {},
    { ...(move && { body: move }), isEnabled: move !== null, madeOf: [locationKind.name, nodeKind.name] },
  )
  if (!move) return null
  const text = () => {
    if (problem) return t('locations.move.unknown', { reason: problemText(problem, shell) })
    if (!data) return t('locations.move.counting')
    const { hosts, least, most } = data
    if (hosts === 0) return t('locations.move.stays')
    return t('locations.move.data', { count: hosts, least: format.bytes(least), most: format.bytes(most) })
  }
  return <p role="status">{text()}</p>
}
