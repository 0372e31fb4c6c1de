import { useT } from '../../../i18n/use-t'
import { Select, TextField } from '../../../patterns/form/form-fields'
import { NetworkIcon } from '../../../ui/icons'
import { useNetworks, useSubnets } from '../../../pickers/networking-lists'
import { isOfProject } from '../networks/network-words'

/** Private networks that can be connected to a router, with their subnets. */
export function useConnectable() {
  const networkList = useNetworks()
  const subnetList = useSubnets()
  const rows = networkList.rows.filter(isOfProject)
  const names = new Map(rows.map(({ id, name }) => [id, name]))
  return {
    isLoading: networkList.isLoading || subnetList.isLoading,
    networks: rows,
    known: subnetList.rows.flatMap((it) => {
      const network_name = names.get(it.network_id)
      return network_name === undefined ? [] : [{ ...it, network_name }]
    }),
  }
}

/** A network and the router's address in it. `at` is the prefix of both field names, or empty for top-level fields. */
export function InterfaceFields({ at = '' }: { at?: string }) {
  const t = useT('networking')
  const { networks } = useConnectable()
  return (
    <>
      <Select
        name={`${at}network_id`}
        label={t('networks.one')}
        placeholder={t('routers.chooseNetwork')}
        items={networks.map(({ id, name, subnets, ipam_enabled }) => ({
          ...{ id, label: name, icon: NetworkIcon },
          end: subnets.map(({ cidr }) => cidr).join(', '),
          ...((!ipam_enabled || subnets.length === 0) && { disabledBecause: t('networks.noSubnets') }),
        }))}
      />
      <TextField
        name={`${at}ip_address`}
        label={t('routers.address')}
        placeholder={t('routers.addressGateway')}
        isMono
        isOptional
      />
    </>
  )
}
