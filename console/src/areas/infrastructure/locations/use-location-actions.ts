import { levelPaths } from '@mainstay/contract/infrastructure/location-rules'
import { locations, type LocationTree } from '@mainstay/contract/infrastructure/locations'
import { useCall } from '../../../api/use-call'
import { useT } from '../../../i18n/use-t'
import { toast } from '../../../notices/notices'
import { confirmDelete } from '../../../patterns/dialogs/confirm-delete'
import type { RowAction } from '../../../patterns/table/row-action'
import { useMay } from '../../../session/may'
import { AddIcon, DeleteIcon, EditIcon, HostsIcon, MoveIcon } from '../../../ui/icons'
import { staleCalls } from './location-forms'
import { locationsToMoveTo, type Location, type LocationRow } from './location-tree'

export type LocationForm = 'add' | 'rename' | 'move' | 'assign'

/** Actions for a row of the tree. `open` opens the form of an action. */
export function useLocationActions(
  tree: LocationTree | undefined,
  open: (form: LocationForm, row: LocationRow) => void,
): (row: LocationRow) => RowAction[] {
  const t = useT('infrastructure')
  const may = useMay()
  const remove = useCall(locations.delete, { refresh: staleCalls })

  const askDelete = ({ id, name, domain }: Location) =>
    void confirmDelete({
      title: t('locations.delete.title', { name }),
      verb: t('locations.delete.verb'),
      run: (signal) => remove.run({ params: { level: levelPaths[domain], id } }, { signal }),
    }).then((isDeleted) => isDeleted && toast(t('locations.deleted', { name })))

  function additions(row: LocationRow, location: Location): RowAction[] {
    if (location.domain === 'rack')
      return may(locations.assignNodes.needs)
        ? [{ label: t('locations.assign'), icon: HostsIcon, run: () => open('assign', row) }]
        : []
    const label = t(location.domain === 'room' ? 'locations.addRows' : 'locations.addRacks')
    return may(locations.create.needs) ? [{ label, icon: AddIcon, run: () => open('add', row) }] : []
  }

  function move(row: LocationRow): RowAction[] {
    if (row.kind === 'room' || !may(locations.update.needs)) return []
    const hasNowhere = tree !== undefined && locationsToMoveTo(row, tree.locations).length === 0
    const nowhere = hasNowhere ? t('locations.move.only') : undefined
    const disabledBecause = row.location?.is_default ? t('locations.move.default') : nowhere
    return [{ label: t('locations.move'), icon: MoveIcon, disabledBecause, run: () => open('move', row) }]
  }

  return (row) => {
    const { location } = row
    if (!location) return move(row)
    const inUse = row.isEmpty ? undefined : t('locations.delete.notEmpty')
    return [
      ...additions(row, location),
      ...(may(locations.update.needs)
        ? [{ label: t('locations.rename'), icon: EditIcon, run: () => open('rename', row) }]
        : []),
      ...move(row),
      ...(may(locations.delete.needs)
        ? [
            {
              label: t('locations.delete'),
              icon: DeleteIcon,
              group: 'delete' as const,
              isDanger: true,
              disabledBecause: location.is_default ? t('locations.delete.default') : inUse,
              run: () => askDelete(location),
            },
          ]
        : []),
    ]
  }
}
