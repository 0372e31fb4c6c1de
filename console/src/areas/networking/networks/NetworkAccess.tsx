import { modeOf, type NetworkAccessPolicy } from '@mainstay/contract/networking/access'
import { networks, type Network } from '@mainstay/contract/networking/networks'
import { useT } from '../../../i18n/use-t'
import { AddLink } from '../../../patterns/AddLink'
import { EmptyState } from '../../../ui/feedback/EmptyState'
import { UsersIcon } from '../../../ui/icons'
import { SmallTable } from '../../../patterns/table/SmallTable'
import { PolicyTarget } from './AccessField'
import { modeHelpKeys, modeKeys } from './network-words'
import { networkResource } from './resource'

/** Shows who may use an external network, and in which mode. */
export function NetworkAccess({ network }: { network: Network }) {
  const t = useT('networking')
  const edit = (
    <AddLink to={networkResource.paths.below(network.id, 'access-edit')} needs={networks.update.needs} isQuiet>
      {t('access.edit')}
    </AddLink>
  )
  const policies = network.rbac_policies as NetworkAccessPolicy[]
  if (policies.length === 0)
    return (
      <EmptyState icon={UsersIcon} action={edit}>
        {t('access.none')}
      </EmptyState>
    )
  return (
    <>
      <SmallTable
        label={t('access.title')}
        rows={policies}
        keyOf={(policy) => JSON.stringify(policy)}
        columns={[
          { id: 'who', label: t('access.who'), render: (policy) => <PolicyTarget policy={policy} /> },
          {
            id: 'mode',
            label: t('access.mode'),
            render: ({ actions }) => {
              const mode = modeOf(actions)
              return mode && t(modeKeys[mode])
            },
          },
          {
            id: 'help',
            label: t('access.means'),
            isWide: true,
            render: ({ actions }) => {
              const mode = modeOf(actions)
              return mode && t(modeHelpKeys[mode])
            },
          },
        ]}
      />
      {edit}
    </>
  )
}
