import type { Access } from '@mainstay/contract/core/endpoint'
import { useT } from '../../i18n/use-t'
import { toast } from '../../notices/notices'
import { notifyError } from '../../notices/notify-error'
import type { BulkAction } from '../../patterns/bulk-run/bulk'
import { confirm } from '../../patterns/dialogs/confirm'
import type { RowAction } from '../../patterns/table/row-action'
import { useMay } from '../../session/may'
import { PowerIcon } from '../../ui/icons'

interface Enabled {
  id: string
  name: string
  enabled: boolean
}

/**
 * Enable and disable actions for users, projects, domains or providers. `barredBecause` returns the reason why an item
 * cannot be disabled.
 */
export function useEnabling<Item extends Enabled>(
  words: 'users' | 'projects' | 'domains' | 'providers',
  needs: Access,
  set: (item: Item, enabled: boolean, signal?: AbortSignal) => Promise<unknown>,
  barredBecause: (item: Item) => string | undefined = () => undefined,
): { action: (item: Item) => RowAction[]; bulk: BulkAction<Item>[] } {
  const t = useT('identity')
  const may = useMay()
  if (!may(needs)) return { action: () => [], bulk: [] }

  const many = (enabled: boolean): BulkAction<Item> => {
    const verb = enabled ? 'enable' : 'disable'
    return {
      label: t(`${words}.${verb}`),
      icon: PowerIcon,
      isRare: true,
      ask: (count) => t(`${words}.${verb}Many`, { count }),
      note: enabled ? undefined : t(`${words}.disableNote`),
      verb: (count) => t(`${words}.${verb}ManyVerb`, { count }),
      skippedBecause: (item) => {
        if (item.enabled === enabled) return t(enabled ? `${words}.enabled` : `${words}.disabled`)
        return enabled ? undefined : barredBecause(item)
      },
      call: { action: 'update', body: { enabled } },
    }
  }
  return {
    bulk: [many(true), many(false)],
    action: (item) => [
      item.enabled
        ? {
            label: t(`${words}.disable`),
            icon: PowerIcon,
            disabledBecause: barredBecause(item),
            about: { call: `${words}.update`, thing: item },
            run: () =>
              void confirm({
                title: t(`${words}.disableMany`, { count: 1 }),
                text: t(`${words}.disableNote`),
                verb: t(`${words}.disableManyVerb`, { count: 1 }),
                run: () => set(item, false),
              }).then((isDone) => isDone && toast(t(`${words}.disabledMany`, { count: 1 }))),
          }
        : {
            label: t(`${words}.enable`),
            icon: PowerIcon,
            run: () =>
              void set(item, true).then(
                () => toast(t(`${words}.enabledMany`, { count: 1 })),
                (thrown: unknown) => notifyError(thrown, t('enabling.failed', { name: item.name })),
              ),
          },
    ],
  }
}
