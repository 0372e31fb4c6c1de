import { identityProviders, type DomainProvider } from '@mainstay/contract/identity/identity-providers'
import { users } from '@mainstay/contract/identity/users'
import { useCall } from '../../../api/use-call'
import { useT } from '../../../i18n/use-t'
import { useAppNavigate } from '../../../nav/use-app-navigate'
import { useDeleteActions } from '../../../patterns/resource/use-delete-actions'
import type { RowAction } from '../../../patterns/table/row-action'
import { useMay } from '../../../session/may'
import { EditIcon } from '../../../ui/icons'
import { useEnabling } from '../use-enabling'
import { providerResource } from './resource'

/** Actions for a single provider and for bulk selections. */
export function useProviderActions(deleted?: () => void) {
  const t = useT('identity')
  const go = useAppNavigate()
  const may = useMay()
  const save = useCall(identityProviders.update, { refresh: [identityProviders.list, identityProviders.view] })
  const enable = ({ id }: DomainProvider, enabled: boolean, signal?: AbortSignal) =>
    save.run({ params: { id }, body: { enabled } }, signal && { signal })
  const enabling = useEnabling('providers', identityProviders.update.needs, enable)
  const removal = useDeleteActions(providerResource, {
    note: t('providers.deleteNote'),
    query: { delete_users: 'true' },
    refresh: [users.list],
    deleted,
  })
  return {
    bulk: [...enabling.bulk, ...removal.bulk],
    actions: (provider: DomainProvider): RowAction[] => [
      ...(may(identityProviders.update.needs)
        ? [
            {
              label: t('providers.edit'),
              icon: EditIcon,
              run: () => go(providerResource.paths.edit(provider.id), { keepsSearch: true }),
            },
          ]
        : []),
      ...enabling.action(provider),
      ...removal.action(provider),
    ],
  }
}
