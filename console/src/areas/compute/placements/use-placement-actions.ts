import { placements, type Placement } from '@mainstay/contract/compute/placements'
import { useCall } from '../../../api/use-call'
import { useT } from '../../../i18n/use-t'
import { paths } from '../../../nav/paths'
import { useGo } from '../../../nav/use-go'
import { confirmDelete } from '../../../patterns/confirm-delete'
import type { RowAction } from '../../../patterns/row-action'
import { useMay } from '../../../session/may'
import { DeleteIcon, EditIcon } from '../../../ui/icons'
import { useEngineHasPlacementDetails } from '../instances/use-engine-can'
import { carriersOf } from './carriers'

/** What can be done to placements: `actions(placement)` for menus, `remove` for many. */
export function usePlacementActions({ deleted }: { deleted?: () => void } = {}) {
  const t = useT('compute')
  const may = useMay()
  const go = useGo()
  const hasDetails = useEngineHasPlacementDetails()
  const { run } = useCall(placements.delete, { refresh: [placements.list] })
  const mayRemove = may(placements.delete.needs)
  const remove = ({ id }: Placement, signal: AbortSignal) => run({ params: { id } }, { signal })
  /** The server knows best; what is seen here already needs no question. */
  const usedBecause = (placement: Placement) => (carriersOf(placement).length > 0 ? t('placements.isUsed') : undefined)

  const actions = (placement: Placement): RowAction[] => [
    ...(hasDetails && may(placements.update.needs)
      ? [
          {
            label: t('placements.edit'),
            icon: EditIcon,
            run: () => go(paths.placements.edit(placement.id), { keepsSearch: true }),
          },
        ]
      : []),
    ...(mayRemove
      ? [
          {
            label: t('delete'),
            icon: DeleteIcon,
            isDanger: true,
            disabledBecause: usedBecause(placement),
            run: () =>
              void confirmDelete({
                what: t('placements.noun'),
                name: placement.name,
                run: (signal) => remove(placement, signal),
              }).then((isDone) => isDone && deleted?.()),
          },
        ]
      : []),
  ]

  return { mayRemove, remove, actions, usedBecause }
}
