import { useState } from 'react'
import { parseAddress } from '@mainstay/contract/networking/addresses'
import { networks, type AddressHolder } from '@mainstay/contract/networking/networks'
import { useView } from '../../../api/use-view'
import type { Key } from '../../../i18n/catalogues'
import { useT } from '../../../i18n/use-t'
import { useDebounced } from '../../../lib/use-debounced'
import { Link } from '../../../nav/Link'
import { ViewContent } from '../../../patterns/DrawerPage'
import OwnerName from '../../../patterns/owners/OwnerName'
import { Page } from '../../../patterns/Page'
import { TextField } from '../../../ui/fields/TextField'
import { Mono } from '../../../ui/values/Mono'
import { HolderName } from '../addresses/HolderLine'
import { networkResource } from '../networks/resource'
import { SmallTable } from '../../../patterns/table/SmallTable'
import css from './operators.module.css'

const kindKeys: Readonly<Record<AddressHolder['kind'], Key<'networking'>>> = {
  instance: 'holder.instance',
  router: 'holder.router',
  floating_ip: 'holder.floatingIp',
  load_balancer: 'holder.loadBalancer',
  service: 'holder.service',
  port: 'holder.port',
  reserved: 'holder.reserved',
}

/** Finds the owners of an address in all tenants' networks. Several networks may use the same address. */
export default function WhoHasPage() {
  const t = useT('networking')
  const [typed, setTyped] = useState('')
  const address = useDebounced(typed.trim())
  const isAddress = parseAddress(address) !== null
  const view = useView(networks.whoHas, {}, { query: { address }, isEnabled: isAddress, kind: { name: 'port' } })
  return (
    <Page title={t('operators.who')}>
      <TextField
        className={css.field}
        label={t('operators.address')}
        value={typed}
        onChange={setTyped}
        placeholder="192.168.10.20"
        error={address !== '' && !isAddress ? t('routers.addressWrong') : undefined}
        isMono
        autoFocus
      />
      {isAddress && (
        <ViewContent view={view}>
          {({ data }) => (
            <SmallTable
              label={t('operators.who')}
              rows={data}
              keyOf={({ network_id, address: it, port_id }) => `${network_id} ${it} ${port_id}`}
              empty={t('operators.nobody', { address })}
              columns={[
                { id: 'holder', label: t('ports.device'), render: (it) => <HolderName holder={it} /> },
                { id: 'kind', label: t('operators.kind'), render: ({ kind }) => t(kindKeys[kind]) },
                {
                  id: 'network',
                  label: t('networks.one'),
                  render: ({ network_id, network_name }) => (
                    <Link to={networkResource.paths.view(network_id)}>{network_name}</Link>
                  ),
                },
                {
                  id: 'mac',
                  label: t('ports.mac'),
                  isWide: true,
                  render: ({ mac_address: mac }) => (mac === null ? '–' : <Mono>{mac}</Mono>),
                },
                {
                  id: 'project',
                  label: t('project'),
                  isWide: true,
                  render: ({ project_id: id }) => (id === undefined ? '–' : <OwnerName of="project" id={id} />),
                },
              ]}
            />
          )}
        </ViewContent>
      )}
    </Page>
  )
}
