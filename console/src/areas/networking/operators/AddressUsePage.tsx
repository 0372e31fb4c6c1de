import { networkKind, networks, type AddressUse } from '@mainstay/contract/networking/networks'
import { useView } from '../../../api/use-view'
import { useT } from '../../../i18n/use-t'
import { Link } from '../../../nav/Link'
import { ViewContent } from '../../../patterns/DrawerPage'
import OwnerName from '../../../patterns/owners/OwnerName'
import { Page } from '../../../patterns/Page'
import { Mono } from '../../../ui/values/Mono'
import { networkResource } from '../networks/resource'
import { UseBar } from '../networks/UseBar'
import { SmallTable } from '../../../patterns/table/SmallTable'
import { useNetworks } from '../../../pickers/networking-lists'

/** Maximum number of subnets to show, starting with the fullest. */
const MOST_ROWS = 200

const shareOf = ({ used, total }: AddressUse) => used / Math.max(1, Number(total))

/** Address usage of all tenants' subnets, fullest first. */
export default function AddressUsePage() {
  const t = useT('networking')
  const view = useView(networks.addressUse, {}, { kind: networkKind })
  const names = new Map(useNetworks().rows.map((it) => [it.id, it]))
  return (
    <Page title={t('operators.use')}>
      <ViewContent view={view}>
        {({ data }) => (
          <SmallTable
            label={t('operators.use')}
            rows={data.toSorted((a, b) => shareOf(b) - shareOf(a)).slice(0, MOST_ROWS)}
            keyOf={({ subnet_id }) => subnet_id}
            empty={t('networks.empty')}
            columns={[
              {
                id: 'network',
                label: t('networks.one'),
                render: ({ network_id }) => (
                  <Link to={networkResource.paths.view(network_id)}>
                    {names.get(network_id)?.name ?? network_id.slice(0, 8)}
                  </Link>
                ),
              },
              { id: 'cidr', label: t('subnets.range'), render: ({ cidr }) => <Mono>{cidr}</Mono> },
              { id: 'use', label: t('networks.use'), render: (it) => <UseBar use={[it]} /> },
              {
                id: 'project',
                label: t('project'),
                isWide: true,
                render: ({ network_id }) => {
                  const network = names.get(network_id)
                  return network ? <OwnerName of="project" id={network.project_id} /> : '–'
                },
              },
            ]}
          />
        )}
      </ViewContent>
    </Page>
  )
}
