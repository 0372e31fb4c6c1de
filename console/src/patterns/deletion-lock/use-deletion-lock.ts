import { useCall } from '../../api/use-call'
import { textsNow, useT } from '../../i18n/use-t'
import { useMay } from '../../session/may'
import { LockIcon, UnlockIcon } from '../../ui/icons'
import type { BulkAction } from '../bulk-run/bulk'
import type { RowAction } from '../table/row-action'
import type { Lockable, LockableResource } from './lockable'

/** Actions to lock and unlock one or several objects, and the reason why a locked object cannot be deleted. */
export function useDeletionLock<Item extends Lockable>(resource: LockableResource) {
  const t = useT('patterns')
  const may = useMay()
  const refresh = [resource.calls.list, ...(resource.calls.view ? [resource.calls.view] : [])]
  const lock = useCall(resource.calls.lock, { refresh })
  const unlock = useCall(resource.calls.unlock, { refresh })
  const mayLock = may(resource.calls.lock.needs)

  const askLock = async ({ id, name }: Item) => {
    const { askLock: ask } = await import('./ask-lock')
    const body = (reason: string) => (reason === '' ? {} : { reason })
    await ask({ words: resource.words, name }, (reason, signal) =>
      lock.run({ params: { id }, body: body(reason) } as never, { signal }),
    )
  }
  const askUnlock = async ({ id, name, deletion_lock }: Item) => {
    const { askUnlock: ask } = await import('./ask-lock')
    if (deletion_lock)
      await ask({ words: resource.words, name }, deletion_lock, (signal) => unlock.run({ params: { id } }, { signal }))
  }

  return {
    /** Why an object cannot be deleted; undefined if it is not locked. */
    barred: ({ deletion_lock: held }: Item): string | undefined => held && t('lock.barred', { by: held.by }),
    /** Menu items for one object; empty without the permission. */
    action: (item: Item): RowAction[] => {
      if (!mayLock) return []
      const act = item.deletion_lock
        ? { label: t('lock.remove'), icon: UnlockIcon, run: () => void askUnlock(item) }
        : { label: t('lock.set'), icon: LockIcon, run: () => void askLock(item) }
      return [{ ...act, group: 'delete' }]
    },
    /** Bulk actions; empty without the permission. Their strings are loaded with the dialog. */
    bulk: (mayLock ? [true, false] : []).map((isLock): BulkAction<Item> => {
      const bulk = (key: 'ask' | 'verb', count: number) =>
        textsNow('bulk')(`${isLock ? 'lock' : 'unlock'}.${key}`, { count })
      return {
        label: t(isLock ? 'lock.set' : 'lock.removeMany'),
        icon: isLock ? LockIcon : UnlockIcon,
        isRare: true,
        ask: (count) => bulk('ask', count),
        verb: (count) => bulk('verb', count),
        skippedBecause: (item) =>
          Boolean(item.deletion_lock) === isLock ? t(isLock ? 'lock.isLocked' : 'lock.isNotLocked') : undefined,
        call: { action: isLock ? 'lock' : 'unlock' },
      }
    }),
  }
}
