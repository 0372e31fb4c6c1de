import type { ReactNode } from 'react'
import type { Endpoint } from '@mainstay/contract/core/endpoint'
import { useCall } from '../../api/use-call'
import { useT } from '../../i18n/use-t'
import type { Named, ResourceOf } from '../../nav/resource'
import { useMay } from '../../session/may'
import { DeleteIcon } from '../../ui/icons'
import type { BulkAction } from '../bulk-run/bulk'
import { confirmDelete } from '../dialogs/confirm-delete'
import type { RowAction } from '../table/row-action'
import { useResourceText } from './use-resource-text'

export interface RemovalSettings<Item> {
  /** What deleting one leaves behind, said under the question. */
  note?: string | undefined
  /** The same of one, with what is its own. */
  noteOfOne?: (item: Item) => ReactNode
  /** The same of many, with what is theirs. */
  noteOfMany?: (items: readonly Item[], isPermanent: boolean) => ReactNode
  /** It goes into the recycle bin: many can be deleted for good at once as well. */
  isRecycled?: boolean
  /** Why this one cannot be deleted now. */
  barredBecause?: ((item: Item) => string | undefined) | undefined
  /** Why it is left out where many are deleted, if that is more than `barredBecause`. */
  skippedBecause?: (item: Item) => string | undefined
  /** Lists and views that deleting makes untrue, besides the list of the resource. */
  refresh?: readonly Endpoint[]
  /** After one was deleted from its details. */
  deleted?: (() => void) | undefined
  /** What the call is given besides the id. */
  query?: Record<string, string>
  /** Asks by itself before one is deleted; resolves with whether it was. */
  ask?: (item: Item) => Promise<boolean>
}

export interface Removal<Item extends Named> {
  /** For the menu of one; empty without the right. */
  action: (item: Item) => RowAction[]
  /** For the bar over a selection; empty without the right. */
  bulk: BulkAction<Item>[]
}

const noneToCall: Endpoint = { verb: 'DELETE', path: '/', needs: 'signed-in', summary: '', reply: undefined as never }

/** Deleting one and deleting many, as every resource does it. */
export function useDeleteActions<Item extends Named>(
  resource: ResourceOf<Item>,
  settings: RemovalSettings<Item> = {},
): Removal<Item> {
  const { note, barredBecause, refresh = [], deleted } = settings
  const say = useResourceText(resource)
  const t = useT('patterns')
  const may = useMay()
  const endpoint: Endpoint = resource.calls.delete ?? noneToCall
  const call = useCall(endpoint, { refresh: [resource.calls.list, ...refresh] })
  const run = ({ id }: Item, signal: AbortSignal) =>
    call.run({ params: { id }, query: settings.query } as never, { signal })
  if (!resource.calls.delete || !may(endpoint.needs)) return { action: () => [], bulk: [] }

  const askPlainly = (item: Item) =>
    confirmDelete({
      title: say('deleteOne', { name: item.name }),
      verb: say('deleteOneVerb'),
      text: settings.noteOfOne?.(item) ?? note,
      run: (signal) => run(item, signal),
    })

  const { noteOfMany } = settings
  const many = (label: string, isPermanent: boolean): BulkAction<Item> => {
    const query = { ...settings.query, ...(settings.isRecycled && isPermanent && { permanent: 'true' }) }
    return {
      label,
      icon: DeleteIcon,
      isDanger: true,
      ask: (count) => say('deleteMany', { count }),
      note: noteOfMany ? (items) => noteOfMany(items, isPermanent) : note,
      verb: (count) => say('deleteManyVerb', { count }),
      skippedBecause: settings.skippedBecause ?? barredBecause,
      call: { action: 'delete', ...(Object.keys(query).length > 0 && { query }) },
    }
  }

  return {
    action: (item) => [
      {
        label: t('delete'),
        icon: DeleteIcon,
        group: 'delete',
        isDanger: true,
        disabledBecause: barredBecause?.(item),
        about: { call: `${resource.called ?? resource.words}.delete`, thing: item },
        run: () => void (settings.ask ?? askPlainly)(item).then((isDone) => isDone && deleted?.()),
      },
    ],
    bulk: settings.isRecycled
      ? [many(t('delete'), false), { ...many(t('deleteForGood'), true), isRare: true }]
      : [many(t('delete'), true)],
  }
}
